// Counts calls, errors, bytes and time per (provider, method, error code). They are read as differences, so that a
// thread can post them to the thread that serves metrics.

export interface RpcCounter {
  readonly provider: string
  readonly method: string
  /** "ok", or the code of the error. */
  readonly code: string
  calls: number
  bytes: number
  ms: number
}

export class RpcCounters {
  #counts = new Map<string, RpcCounter>()

  /** Bytes and time of a batch are divided evenly among its calls. */
  add(sample: RpcCounter): void {
    const key = `${sample.provider} ${sample.method} ${sample.code}`
    const held = this.#counts.get(key)
    if (held === undefined) this.#counts.set(key, { ...sample })
    else {
      held.calls += sample.calls
      held.bytes += sample.bytes
      held.ms += sample.ms
    }
  }

  /** What was counted since the last call. */
  take(): RpcCounter[] {
    const out = [...this.#counts.values()]
    this.#counts = new Map()
    return out
  }
}
