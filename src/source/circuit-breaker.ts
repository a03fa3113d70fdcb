// Stops requests to a failing provider: opens after some failures in a row, then allows one probe at a time. The wait
// doubles and has jitter, so that many processes do not retry at the same instant.

import type { Clock } from "../platform/clock.js"
import type { Random } from "../platform/random.js"

export type CircuitState = "closed" | "open" | "half-open"

export interface CircuitOptions {
  readonly failuresToOpen: number
  readonly minOpenMs: number
  readonly maxOpenMs: number
}

export const defaultCircuit: CircuitOptions = { failuresToOpen: 5, minOpenMs: 1000, maxOpenMs: 60_000 }

export class CircuitBreaker {
  readonly #clock: Clock
  readonly #random: Random
  readonly #options: CircuitOptions
  #failures = 0
  #opened = 0
  #openUntil = 0
  #probing = false

  constructor(deps: { readonly clock: Clock; readonly random: Random }, options: CircuitOptions) {
    this.#clock = deps.clock
    this.#random = deps.random
    this.#options = options
  }

  state(): CircuitState {
    if (this.#opened === 0) return "closed"
    return this.#probing || this.#clock.monotonic() >= this.#openUntil ? "half-open" : "open"
  }

  /** Whether a request may be sent now. In the half-open state it is the probe: report its result. */
  tryEnter(): boolean {
    if (this.#opened === 0) return true
    if (this.#probing || this.#clock.monotonic() < this.#openUntil) return false
    this.#probing = true
    return true
  }

  succeed(): void {
    this.#failures = 0
    this.#opened = 0
    this.#probing = false
  }

  fail(): void {
    this.#failures++
    if (this.#probing || (this.#opened === 0 && this.#failures >= this.#options.failuresToOpen)) this.trip()
  }

  /** Opens at once, whatever the number of failures. */
  trip(): void {
    this.#probing = false
    const openMs = Math.min(this.#options.minOpenMs * 2 ** this.#opened, this.#options.maxOpenMs)
    this.#opened = Math.min(this.#opened + 1, 30)
    this.#openUntil = this.#clock.monotonic() + openMs * (0.75 + this.#random.next() / 2)
  }

  /** The probe ended without a result, for a reason of ours: the next request may be one. */
  abandon(): void {
    this.#probing = false
  }

  waitMs(): number {
    return this.#opened === 0 ? 0 : Math.max(0, this.#openUntil - this.#clock.monotonic())
  }
}
