// Bytes fetched or being fetched and not yet taken by the consumer, over all ranges of a source. A request that is larger
// than the whole budget may go when nothing else is held, so nothing ever waits for room that cannot come.

export class ByteBudget {
  readonly #limit: number
  #used = 0
  #waiting: (() => void)[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  get used(): number {
    return this.#used
  }

  tryTake(bytes: number): boolean {
    if (this.#used > 0 && this.#used + bytes > this.#limit) return false
    this.#used += bytes
    return true
  }

  /** An estimate became a fact. */
  adjust(from: number, to: number): void {
    this.#used += to - from
    if (to < from) this.#wake()
  }

  release(bytes: number): void {
    this.#used -= bytes
    this.#wake()
  }

  /** Called once, when there may be room. First come, first served. */
  whenFreed(wake: () => void): void {
    if (!this.#waiting.includes(wake)) this.#waiting.push(wake)
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }
}
