// The ledgers on Postgres, for tests that call what is composed with them.

import { postgresLedgers } from "../../src/coordination/postgres/postgres-ledgers.js"
import { systemRandom } from "../../src/platform/random.js"

export const testLedgers = postgresLedgers({ random: systemRandom })
