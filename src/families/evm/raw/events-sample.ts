// DENORMALIZE_EVENTS: a short copy of a transaction's events beside it, for debugging. Never complete, never indexed.

import type { EvmEvent } from "./evm-block.js"

const sampleMaxChars = 2_048

/** By transaction index: the JSON text of its first events, cut to a safe size. */
export function eventsSample(events: readonly EvmEvent[]): Map<number, string> {
  const samples = new Map<number, string>()
  for (const event of events) {
    const before = samples.get(event.transactionIndex) ?? ""
    if (before.length >= sampleMaxChars) continue
    const { index, address, topics, data } = event
    const text = JSON.stringify({ index, address, topics, data })
    samples.set(event.transactionIndex, `${before}${before ? "\n" : ""}${text}`.slice(0, sampleMaxChars))
  }
  return samples
}
