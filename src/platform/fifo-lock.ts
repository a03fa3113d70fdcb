// A first-in, first-out lock for lanes of one thread whose work in the database would block each other.

export class FifoLock {
  private last: Promise<void> = Promise.resolve()

  /** Resolves when all earlier callers have finished, with the function that releases the lock. */
  async take(): Promise<() => void> {
    const before = this.last
    let end: () => void = () => undefined
    this.last = new Promise((resolve) => {
      end = resolve
    })
    await before
    return end
  }
}
