// The ledgers of a chain, one for each database.

import type { ChainRecord } from "./chain-record.js"
import type { CoverageLedger, RawCoverageCopy } from "./coverage-ledger.js"
import type { IntentLedger, RollbackLedger } from "./rollback-ledger.js"

export type RawLedger = CoverageLedger & RollbackLedger & IntentLedger & ChainRecord
export type AppLedger = CoverageLedger & RollbackLedger & RawCoverageCopy

export interface Ledgers {
  readonly raw: RawLedger
  readonly app: AppLedger
}
