// What a process has asked of its providers since it started, by provider and method: their cost. Bounded, so that it fits
// into what a process reports of itself every few seconds.

import type { Clock } from "../platform/clock.js"
import type { RpcCounts } from "../platform/metrics.js"

export interface MethodCalls {
  readonly provider: string
  readonly method: string
  readonly calls: number
  readonly errors: number
  readonly bytes: number
  readonly ms: number
  /** In the last whole minute. */
  readonly perMinute: number
}

interface Tally extends MethodCalls {
  /** The minute that `thisMinute` counts. */
  readonly minute: number
  readonly thisMinute: number
}

/** Far more than a chain family uses; more of them are counted together. */
const mostMethods = 64
const otherMethods = "others"
const minuteMs = 60_000

export class CallTally {
  readonly #clock: Clock
  readonly #tallies = new Map<string, Tally>()

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock
  }

  add(counts: readonly RpcCounts[]): void {
    for (const { provider, method, code, calls, bytes, ms } of counts) {
      const held = this.#of(provider, method)
      this.#tallies.set(keyOf(held), {
        ...held,
        calls: held.calls + calls,
        errors: held.errors + (code === "ok" ? 0 : calls),
        bytes: held.bytes + bytes,
        ms: held.ms + ms,
        thisMinute: held.thisMinute + calls,
      })
    }
  }

  calls(): MethodCalls[] {
    return [...this.#tallies.values()].map((tally) => {
      const { minute, thisMinute, ...calls } = this.#turned(tally)
      return { ...calls, ms: Math.round(calls.ms) }
    })
  }

  #of(provider: string, method: string): Tally {
    const known = this.#tallies.get(keyOf({ provider, method }))
    if (known) return this.#turned(known)
    const isFull = this.#tallies.size >= mostMethods
    const name = isFull ? otherMethods : method
    const none = { calls: 0, errors: 0, bytes: 0, ms: 0, perMinute: 0, thisMinute: 0, minute: this.#minute() }
    const other = isFull ? this.#tallies.get(keyOf({ provider, method: name })) : undefined
    return other ? this.#turned(other) : { provider, method: name, ...none }
  }

  /** At the end of a minute its count becomes that of the last one. */
  #turned(tally: Tally): Tally {
    const minute = this.#minute()
    if (tally.minute === minute) return tally
    return { ...tally, minute, perMinute: tally.minute === minute - 1 ? tally.thisMinute : 0, thisMinute: 0 }
  }

  #minute(): number {
    return Math.floor(this.#clock.monotonic() / minuteMs)
  }
}

const keyOf = ({ provider, method }: Pick<MethodCalls, "provider" | "method">): string => `${provider} ${method}`
