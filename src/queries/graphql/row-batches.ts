// Collects the rows that the rows of one level ask for, and reads them with one statement for each relation. It belongs to
// one operation and its transaction.

export interface Batch<Parent, Found> {
  /** Reads of one batch differ in their parents only. */
  readonly name: string
  readonly parent: Parent
  read(parents: readonly Parent[]): Promise<readonly Found[]>
}

interface Waiting {
  readonly parents: unknown[]
  readonly settle: { resolve(found: unknown): void; reject(error: unknown): void }[]
  read(parents: readonly unknown[]): Promise<readonly unknown[]>
}

export class RowBatches {
  private waiting = new Map<string, Waiting>()

  load<Parent, Found>({ name, parent, read }: Batch<Parent, Found>): Promise<Found> {
    if (this.waiting.size === 0) this.schedule()
    const batch = this.waiting.get(name) ?? { parents: [], settle: [], read: read as Waiting["read"] }
    this.waiting.set(name, batch)
    batch.parents.push(parent)
    return new Promise<Found>((resolve, reject) => {
      batch.settle.push({ resolve: resolve as (found: unknown) => void, reject })
    })
  }

  /** After everything of this level has asked: its promises settle before the next tick. */
  private schedule(): void {
    void Promise.resolve().then(() => process.nextTick(() => this.readAll()))
  }

  private readAll(): void {
    const batches = [...this.waiting.values()]
    this.waiting = new Map()
    for (const { parents, settle, read } of batches) {
      read(parents).then(
        (found) => {
          for (const [at, { resolve }] of settle.entries()) resolve(found[at])
        },
        (error: unknown) => {
          for (const { reject } of settle) reject(error)
        },
      )
    }
  }
}
