// How many calls a provider accepts in one request. Unlimited until it refuses a batch; then the largest size that it
// accepts is searched between what it accepted and what it refused, remembered, and probed again after a while.

import type { Clock } from "../platform/clock.js"

/** A provider that refused a batch gets a larger one after this time. */
const probeAfterMs = 600_000

export class BatchLimit {
  readonly #clock: Pick<Clock, "monotonic">
  /** The largest accepted and the smallest refused, since the last refusal of a first batch. */
  #accepted = 0
  #refused = Number.POSITIVE_INFINITY
  #probeAt = 0

  constructor(deps: { readonly clock: Pick<Clock, "monotonic"> }) {
    this.#clock = deps.clock
  }

  /** How many calls to send in the next request. */
  get calls(): number {
    if (this.#refused === Number.POSITIVE_INFINITY) return this.#accepted === 0 ? this.#refused : 2 * this.#accepted
    if (this.#clock.monotonic() >= this.#probeAt) {
      this.#refused = Number.POSITIVE_INFINITY
      return this.calls
    }
    return Math.max(1, Math.floor((this.#accepted + this.#refused) / 2))
  }

  accepted(calls: number): void {
    // While nothing was refused nothing is limited.
    if (calls <= this.#accepted || (this.#accepted === 0 && this.#refused === Number.POSITIVE_INFINITY)) return
    this.#accepted = calls
    // A request that was under way: what was refused depends on more than the number of calls.
    if (calls >= this.#refused) this.#refused = calls + 1
  }

  refused(calls: number): void {
    this.#refused = Math.min(this.#refused, calls)
    this.#probeAt = this.#clock.monotonic() + probeAfterMs
    if (this.#accepted >= this.#refused) this.#accepted = 0
  }

  /** What was refused was no matter of the size. */
  forget(): void {
    this.#accepted = 0
    this.#refused = Number.POSITIVE_INFINITY
  }
}
