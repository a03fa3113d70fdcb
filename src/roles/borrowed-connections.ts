// Connections for short tasks (building an index, the nightly check of the store), within the limit of the process: first
// what the budget leaves over, then those of the history lanes, which pause meanwhile.

import { Connection, type ConnectionOptions } from "../postgres/connection.js"

export interface BorrowedConnectionsOptions {
  /** What the permanent connections leave of the budget. */
  readonly spare: number
  /** What the history lanes of this process hold. */
  readonly lanes: number
  /** Resolves when the lanes have closed theirs. Called with false, it lets them continue. */
  readonly lend: (lent: boolean) => Promise<void>
}

interface Waiting {
  readonly count: number
  readonly go: () => void
}

export class BorrowedConnections {
  private readonly waiting: Waiting[] = []
  private used = 0
  private lending: Promise<void> | undefined

  constructor(private readonly options: BorrowedConnectionsOptions) {}

  /** All at once: two borrowers with one each would wait for one another. Closing a connection returns it. */
  async open(wanted: readonly ConnectionOptions[]): Promise<Connection[]> {
    await this.take(wanted.length)
    const opened: Connection[] = []
    try {
      for (const options of wanted) {
        const connection = await Connection.open({ ...options, onClose: () => this.release(1) })
        opened.push(connection)
      }
      return opened
    } catch (error) {
      for (const connection of opened) connection.destroy()
      // The one that failed was released when it closed.
      this.release(wanted.length - opened.length - 1)
      throw error
    }
  }

  private async take(count: number): Promise<void> {
    const { spare, lanes, lend } = this.options
    if (count > spare + lanes) throw new RangeError(`${count} connections are more than the process can lend`)
    // First come, first served: otherwise requests for one could delay a request for two forever.
    if (this.waiting.length > 0 || this.used + count > spare + lanes)
      await new Promise<void>((go) => this.waiting.push({ count, go }))
    else this.used += count
    if (this.used > spare) this.lending ??= lend(true)
    await this.lending
  }

  private release(count: number): void {
    const { spare, lanes, lend } = this.options
    this.used -= count
    for (let next = this.waiting[0]; next && this.used + next.count <= spare + lanes; next = this.waiting[0]) {
      this.waiting.shift()
      this.used += next.count
      next.go()
    }
    if (this.used > spare || !this.lending) return
    this.lending = undefined
    void lend(false)
  }
}
