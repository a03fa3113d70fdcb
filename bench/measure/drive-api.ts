// Sends requests at a constant rate, evenly spaced and whatever the server does: a time counts from when its request was
// due, so that a pause of the server is not measured once but by everybody who would have asked. Not autocannon's rate,
// which sends the requests of each second at once.

import { Pool } from "undici"
import type { ApiRequests } from "../environment/api-requests.js"
import { quantile } from "./statistics.js"

export interface Driven {
  readonly answered: number
  /** 503, or no answer within 30 s: more than the server can do. */
  readonly failed: number
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly longest: number
}

interface DriveOptions {
  readonly url: string
  readonly rate: number
  readonly seconds: number
  readonly requests: ApiRequests
}

export const connections = 50
const timeoutMs = 30_000

/** Throws where an answer is neither 200 nor 503: its time would say nothing. */
export async function driveApi({ url, rate, seconds, requests }: DriveOptions): Promise<Driven> {
  const pool = new Pool(url, { connections, headersTimeout: timeoutMs, bodyTimeout: timeoutMs })
  const times: number[] = []
  const wrong = new Map<string, number>()
  let failed = 0
  const ask = async (dueAt: number): Promise<void> => {
    const { route, path } = requests.next()
    try {
      const { statusCode, body } = await pool.request({ path, method: "GET" })
      const isAnswer = statusCode === 200
      const text = isAnswer ? await body.dump().then(() => "") : await body.text()
      if (isAnswer) times.push(performance.now() - dueAt)
      else if (statusCode === 503) failed++
      else {
        const what = `${route}: ${statusCode} ${text.slice(0, 200)}`
        wrong.set(what, (wrong.get(what) ?? 0) + 1)
      }
    } catch {
      failed++
    }
  }
  const beganAt = performance.now()
  const open: Promise<void>[] = []
  for (const all = rate * seconds; open.length < all; ) {
    const due = Math.min(all, Math.floor(((performance.now() - beganAt) / 1_000) * rate) + 1)
    while (open.length < due) open.push(ask(beganAt + (open.length / rate) * 1_000))
    const nextIn = beganAt + (open.length / rate) * 1_000 - performance.now()
    if (open.length < all) await new Promise((resolve) => setTimeout(resolve, nextIn))
  }
  await Promise.all(open)
  await pool.close()
  if (wrong.size > 0) throw new Error([...wrong].slice(0, 5).join("\n"))
  return {
    ...{ answered: times.length, failed },
    ...{ p50: quantile(times, 0.5), p99: quantile(times, 0.99), p999: quantile(times, 0.999) },
    longest: quantile(times, 1),
  }
}
