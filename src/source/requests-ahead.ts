// How many batches of a range to have asked for ahead of the consumer: as many as it takes for it not to wait. Each lies in
// memory until its turn comes, so a node that is quicker than the consumer is asked for one at a time.

export class RequestsAhead {
  readonly #most: number
  #count: number

  constructor({ first, most }: { first: number; most: number }) {
    this.#most = most
    this.#count = first
  }

  get count(): number {
    return this.#count
  }

  /** The consumer came for a batch that was not there yet. */
  tooFew(): void {
    this.#count = Math.min(this.#most, this.#count + 1)
  }

  /** The consumer came, and all that was asked for lay there. */
  enough(): void {
    this.#count = Math.max(1, this.#count - 1)
  }
}
