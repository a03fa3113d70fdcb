// Where the tip was a moment ago. Fresh blocks are left to whoever derives the tip, which takes them for all workers at once; should
// nobody do that, they are taken up after this moment like any others.

export class SettledTip {
  private readonly seen: { readonly end: number; readonly at: number }[] = []
  private settled: number | undefined
  private readonly settleMs: number

  constructor({ settleMs }: { settleMs: number }) {
    this.settleMs = settleMs
  }

  /** The end of what was there `settleMs` ago. What is there at the first look counts as old. */
  see(end: number, now: number): number {
    this.settled ??= end
    if (end < this.settled) {
      // A rollback took it back.
      this.seen.length = 0
      this.settled = end
    }
    if (end > (this.seen.at(-1)?.end ?? this.settled)) this.seen.push({ end, at: now })
    while (this.seen[0] && now - this.seen[0].at >= this.settleMs) this.settled = this.seen.shift()!.end
    return this.settled
  }
}
