// The ledgers of a chain, one for each database, and its job queue.

import type { ChainRecord } from "./chain-record.js"
import type { CoverageLedger, RawCoverageCopy } from "./coverage-ledger.js"
import type { JobQueue } from "./job-queue.js"
import type { IntentLedger, RollbackLedger } from "./rollback-ledger.js"

export interface Ledgers {
  readonly raw: CoverageLedger & RollbackLedger & IntentLedger & ChainRecord
  readonly app: CoverageLedger & RollbackLedger & RawCoverageCopy
  /** In app. */
  readonly jobs: JobQueue
}
