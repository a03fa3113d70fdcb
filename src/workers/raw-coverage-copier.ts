// Keeps app's copy of raw's coverage current. Runs in every process that stores or derives; any number may copy at once.
// Woken when this process stored a block; polls for what others store.

import type { RawCoverageCopy } from "../coordination/coverage-ledger.js"
import { LoopingService } from "../platform/looping-service.js"
import type { RuntimeDeps } from "../platform/service.js"
import type { Queryable, SqlExecutor } from "../postgres/transaction.js"

export interface RawCoverageCopierOptions extends RuntimeDeps {
  readonly ledgers: { readonly app: Pick<RawCoverageCopy, "copyRawCoverage"> }
  readonly raw: Queryable
  readonly app: SqlExecutor
  readonly intervalMs: number
  /** App knows of a new block, stored by any process. */
  readonly onCopied: () => void
}

export class RawCoverageCopier extends LoopingService {
  private isWoken = false
  private end = 0

  constructor(private readonly options: RawCoverageCopierOptions) {
    super({ ...options, name: "raw-coverage-copier", maxBackoffMs: 5_000 })
  }

  override wake(): void {
    this.isWoken = true
    super.wake()
  }

  async runOnce(): Promise<undefined> {
    const { isWoken } = this
    this.isWoken = false
    const end = await this.options.ledgers.app.copyRawCoverage(this.options)
    if (end === undefined) return
    // Even if it ends at the same height: some of it may be new, or another process copied it first.
    if (isWoken || end > this.end) this.options.onCopied()
    this.end = end
  }
}
