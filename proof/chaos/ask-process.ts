// What a process answers to whoever asks how far it is, and where that is more than there is.

import type { StatusJson } from "../../src/status/status-json.js"
import type { AppLook } from "./look-at-app.js"
import type { RawLook } from "./look-at-raw.js"

/** Longer than the transaction of a person's act may take: whoever reads later has seen it. */
const actMs = 60_000

export interface Answer {
  readonly url: string
  /** Of raw, when it was read. Then app was. */
  readonly epoch: number
  readonly readAtMs: number
  /** Inclusive, as answered; null where nothing is. */
  readonly watermark: number | null
  readonly watermarks: ReadonlyMap<string, number | null>
}

/** Undefined where nobody answers: killed, stopped, or busy. */
export async function askProcess(url: string): Promise<Answer | undefined> {
  try {
    const response = await fetch(`${url}/status`, { signal: AbortSignal.timeout(1_000) })
    const { chains } = (await response.json()) as { chains?: StatusJson[] }
    const status = chains?.[0]
    return (
      status && {
        ...{ url, epoch: status.chain_epoch, readAtMs: Date.parse(status.read_at) },
        watermark: heightOf(status.watermark_height),
        watermarks: new Map(status.workers.map((one) => [one.worker, heightOf(one.watermark_height)])),
      }
    )
  } catch {
    return undefined
  }
}

const heightOf = (text: string | null): number | null => (text === null ? null : Number(text))

export interface Truth {
  readonly raw: RawLook
  /** Undefined where it may have lost commits since the answer. */
  readonly app: AppLook | undefined
  /** When each worker was first seen, by the database's clock. */
  readonly workersSince: ReadonlyMap<string, number>
}

export interface Comparison {
  /** Which part of the answer could be compared. */
  readonly compared: { readonly raw: boolean; readonly workers: boolean }
  readonly excess: readonly string[]
}

/**
 * The answer was given before the looks were taken. A store at the epoch of the answer was not rolled back in between, as epochs only rise, and app is never behind
 * raw: so it has all that it had.
 */
export function compareAnswer(answer: Answer, { raw, app, workersSince }: Truth): Comparison {
  const compared = {
    raw: answer.epoch === raw.epoch,
    workers: app !== undefined && answer.epoch === app.epoch && answer.readAtMs > (app.acted_at ?? 0) + actMs,
  }
  const ends = new Map([
    ...(compared.raw ? [["raw_ingester", raw.watermark] as const] : []),
    ...(compared.workers ? app!.watermarks : []),
  ])
  const excess = [...answer.watermarks].flatMap(([worker, height]) => {
    const end = ends.get(worker)
    return end !== undefined && height !== null && height >= end
      ? [`${answer.url} says ${worker} is done up to ${height}, and it is up to ${end - 1}`]
      : []
  })
  // A worker that came after the answer was read is none of its business.
  const meant = [...ends].filter(([worker]) => (workersSince.get(worker) ?? 0) < answer.readAtMs)
  const end = Math.min(...meant.map(([, one]) => one))
  if (answer.watermark !== null && answer.watermark >= end)
    excess.push(`${answer.url} says all is done up to ${answer.watermark}, and it is up to ${end - 1}`)
  return { compared, excess }
}
