// Bytes that were requested and not yet consumed, over all ranges of a source. A request larger than the whole
// budget may start when nothing else is held, so no request waits forever.

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

  /** Replaces an estimate by the actual size. */
  adjust(from: number, to: number): void {
    this.#used += to - from
    if (to < from) this.#wake()
  }

  release(bytes: number): void {
    this.#used -= bytes
    this.#wake()
  }

  /** Calls `wake` once, when there may be room. First come, first served. */
  whenFreed(wake: () => void): void {
    if (!this.#waiting.includes(wake)) this.#waiting.push(wake)
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }
}
