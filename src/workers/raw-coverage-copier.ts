// Tells the app database what raw covers, over connections that are opened again when they are lost.

import type { RawCoverageCopy } from "../coordination/coverage-ledger.js"
import type { SqlExecutor } from "../postgres/sql-executor.js"
import type { Queryable } from "../postgres/transaction.js"

export interface RawCoverageCopierDeps {
  readonly ledger: Pick<RawCoverageCopy, "copyRawCoverage">
  readonly raw: Queryable
  readonly app: () => Promise<SqlExecutor<Queryable>>
}

export class RawCoverageCopier {
  private readonly deps: RawCoverageCopierDeps

  constructor(deps: RawCoverageCopierDeps) {
    this.deps = deps
  }

  copy(): Promise<boolean> {
    return this.deps.ledger.copyRawCoverage(this.deps)
  }
}
