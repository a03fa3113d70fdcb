// The ledgers of both databases of a chain, and its job queue, on Postgres.

import type { Random } from "../../platform/random.js"
import type { Ledgers } from "../ledgers.js"
import { postgresChainRecord } from "./postgres-chain-record.js"
import { postgresCoverageLedger } from "./postgres-coverage-ledger.js"
import { postgresJobQueue } from "./postgres-job-queue.js"
import { postgresIntentLedger, postgresRollbackLedger } from "./postgres-rollback-ledger.js"
import { rawCoverageCopy } from "./raw-coverage-copy.js"

export const postgresLedgers = ({ random }: { random: Random }): Ledgers => ({
  raw: {
    ...postgresCoverageLedger({ schema: "raw", random }),
    ...postgresRollbackLedger("raw"),
    ...postgresIntentLedger,
    ...postgresChainRecord,
  },
  app: {
    ...postgresCoverageLedger({ schema: "app", random }),
    ...postgresRollbackLedger("app"),
    ...rawCoverageCopy,
  },
  jobs: postgresJobQueue,
})
