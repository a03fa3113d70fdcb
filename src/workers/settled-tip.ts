// Where the tip was a moment ago. New blocks are left to the process that derives the tip, which takes them for all workers
// at once; if there is none, they count as history after this time.

export class SettledTip {
  private readonly seen: { readonly end: number; readonly at: number }[] = []
  private settled: number | undefined
  private readonly settleMs: number

  constructor({ settleMs }: { settleMs: number }) {
    this.settleMs = settleMs
  }

  /** The end of coverage `settleMs` ago. What is covered at the first call counts as old. */
  see(end: number, now: number): number {
    this.settled ??= end
    if (end < this.settled) {
      // A rollback removed blocks.
      this.seen.length = 0
      this.settled = end
    }
    if (end > (this.seen.at(-1)?.end ?? this.settled)) this.seen.push({ end, at: now })
    while (this.seen[0] && now - this.seen[0].at >= this.settleMs) this.settled = this.seen.shift()!.end
    return this.settled
  }
}
