// When the node first had each of the latest blocks, to measure how long it took until they were derived.

const remembered = 1_000

export class AnnouncedHeads {
  private readonly at = new Map<number, number>()

  add({ height, at }: { readonly height: number; readonly at: number }): void {
    if (!this.at.has(height)) this.at.set(height, at)
    if (this.at.size > remembered) this.at.delete(this.at.keys().next().value!)
  }

  /** Seconds from announcement to `at`, for the announced heights of the range. Each is reported once. */
  delays({ from, to, at }: { readonly from: number; readonly to: number; readonly at: number }): number[] {
    const delays: number[] = []
    for (let height = from; height < to; height++) {
      const since = this.at.get(height)
      if (since === undefined) continue
      this.at.delete(height)
      delays.push(Math.max(0, at - since) / 1_000)
    }
    return delays
  }
}
