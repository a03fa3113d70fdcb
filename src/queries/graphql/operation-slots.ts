// How many operations of a chain run at once: each holds a connection to each database, and other requests need some too.

import { RequestError } from "../request-error.js"

const mostWaiting = 100

export class OperationSlots {
  private running = 0
  private readonly waiting: (() => void)[] = []

  constructor(private readonly most: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.most) {
      if (this.waiting.length >= mostWaiting)
        throw new RequestError("BUSY", "too many operations are waiting: ask again")
      await new Promise<void>((resolve) => this.waiting.push(resolve))
    } else this.running += 1
    try {
      return await work()
    } finally {
      const next = this.waiting.shift()
      // The slot goes to it.
      if (next) next()
      else this.running -= 1
    }
  }
}
