// Up to which height a provider was found to have no blocks, although it reports them as final: it keeps recent ones only.
// Another provider is asked first for those and for the next ones: each finding makes it more of them. Forgotten after a
// while, as nodes are replaced behind one address.

import type { Clock } from "../platform/clock.js"

const forgottenAfterMs = 600_000
const firstReach = 1_000
const reachGrowth = 10

export class PrunedHeights {
  readonly #clock: Pick<Clock, "monotonic">
  #upTo = -1
  #reach = firstReach
  #notedAt = Number.NEGATIVE_INFINITY

  constructor(deps: { readonly clock: Pick<Clock, "monotonic"> }) {
    this.#clock = deps.clock
  }

  note(height: number): void {
    const isKnown = this.#clock.monotonic() - this.#notedAt < forgottenAfterMs
    if (isKnown && height <= this.#upTo) return
    this.#reach = isKnown ? this.#reach * reachGrowth : firstReach
    this.#upTo = height + this.#reach
    this.#notedAt = this.#clock.monotonic()
  }

  includes(height: number): boolean {
    return height <= this.#upTo && this.#clock.monotonic() - this.#notedAt < forgottenAfterMs
  }
}
