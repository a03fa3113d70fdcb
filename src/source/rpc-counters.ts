// Counts calls, errors, bytes and time per (provider, method, error code). They are read as differences, so that a
// thread can send them to the thread that serves metrics.

import type { RpcCounts } from "../platform/metrics.js"

export class RpcCounters {
  #counts = new Map<string, RpcCounts>()

  /** Bytes and time of a batch are divided evenly among its calls. */
  add(sample: RpcCounts): void {
    const key = `${sample.provider} ${sample.method} ${sample.code}`
    const { calls, bytes, ms } = this.#counts.get(key) ?? { calls: 0, bytes: 0, ms: 0 }
    this.#counts.set(key, {
      ...sample,
      calls: calls + sample.calls,
      bytes: bytes + sample.bytes,
      ms: ms + sample.ms,
    })
  }

  /** What was counted since the last call. */
  take(): RpcCounts[] {
    const out = [...this.#counts.values()]
    this.#counts = new Map()
    return out
  }
}
