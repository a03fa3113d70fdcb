// How many batches of a range to request ahead of the consumer: just enough that it does not wait. Each stays in
// memory until it is consumed, so a node that is faster than the consumer gets one request at a time.

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

  /** The consumer asked for a batch that had not arrived. */
  tooFew(): void {
    this.#count = Math.min(this.#most, this.#count + 1)
  }

  /** The consumer asked for a batch, and all that were requested had arrived. */
  enough(): void {
    this.#count = Math.max(1, this.#count - 1)
  }
}
