// One after the other, in the order of asking: for lanes of one thread whose work in the database would only be in each
// other's way when done at once.

export class Turns {
  private last: Promise<void> = Promise.resolve()

  /** Resolves when all who asked before have ended their turn; the function it gives ends this one. */
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
