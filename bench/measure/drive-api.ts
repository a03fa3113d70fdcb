// Sends requests at a constant rate, whatever the server does: an answer that comes late counts from when its request was
// due, so that a pause of the server is not measured once but by everybody who would have asked.

import autocannon from "autocannon"
import type { ApiRequests } from "../environment/api-requests.js"

export interface Driven {
  readonly rate: number
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

const connections = 50

/** Throws where an answer is neither 200 nor 503: its time would say nothing. */
export async function driveApi({ url, rate, seconds, requests }: DriveOptions): Promise<Driven> {
  const wrong = new Map<string, number>()
  let unavailable = 0
  const result = await autocannon({
    ...{ url, connections, duration: seconds, overallRate: rate, timeout: 30 },
    requests: [
      {
        setupRequest: (request, context) => {
          const { route, path } = requests.next()
          Object.assign(context, { route })
          return { ...request, path }
        },
        onResponse: (status, body, context) => {
          if (status === 503) unavailable++
          if (status === 200 || status === 503) return
          const what = `${(context as { route: string }).route}: ${status} ${body.slice(0, 200)}`
          wrong.set(what, (wrong.get(what) ?? 0) + 1)
        },
      },
    ],
  })
  if (wrong.size > 0) throw new Error([...wrong].slice(0, 5).join("\n"))
  const { latency } = result
  return {
    ...{
      rate,
      answered: result["2xx"],
      failed: unavailable + result.errors,
      p50: latency.p50,
      p99: latency.p99,
      p999: latency.p99_9,
      longest: latency.max,
    },
  }
}
