// Lanes of one thread fold one after the other. They change the same hot rows: two at once would wait for each other in the
// database all the same, with locks held, and each would take the other's time for its own.

export class FoldTurns {
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
