// The coverage ledger on Postgres, for one schema.

import type { Random } from "../../platform/random.js"
import { parseMultirange, printMultirange } from "../../postgres/multirange.js"
import type { CoverageLedger } from "../coverage-ledger.js"
import { type CoordinationSchema, coordinationTables } from "./coordination-tables.js"
import { cutLeases } from "./cut-leases.js"
import { lockChain, lockClaims } from "./locks.js"
import { readCoordination } from "./read-coordination.js"
import { writeAudit } from "./write-audit.js"

export function postgresCoverageLedger({
  schema,
  random,
}: {
  schema: CoordinationSchema
  random: Random
}): CoverageLedger {
  const tables = coordinationTables(schema)
  return {
    lockChain,
    lockClaims: (tx, workers) => lockClaims(tables, tx, workers),
    cutLeases: (tx, taken) => cutLeases({ tables, random }, tx, taken),
    snapshot: (sql) => readCoordination(tables, sql),
    writeAudit: (tx, entry) => writeAudit(tables, tx, entry),

    async register(sql, worker) {
      await sql.query(`insert into ${tables.coverage} (worker_type) values ($1) on conflict do nothing`, [worker])
    },

    async forget(tx, workers) {
      await tx.query(`delete from ${tables.leases} where worker_type = any ($1) and status <> 'COMPLETED'`, [workers])
      const { rowCount } = await tx.query(`delete from ${tables.coverage} where worker_type = any ($1)`, [workers])
      return rowCount !== 0
    },

    async readCoverage(sql) {
      const { rows } = await sql.query<{ worker_type: string; heights: string; skipped: string }>(
        `select worker_type, heights::text as heights, skipped::text as skipped from ${tables.coverage}`,
      )
      return new Map(
        rows.map(({ worker_type, heights, skipped }) => [
          worker_type,
          { heights: parseMultirange(heights), skipped: parseMultirange(skipped) },
        ]),
      )
    },

    async readThroughput(sql) {
      const { rows } = await sql.query<{ worker_type: string; last10s: string; last60s: string }>(
        `select worker_type, sum(to_height - from_height) as last60s,
           coalesce(sum(to_height - from_height)
             filter (where completed_at > clock_timestamp() - interval '10 s'), 0) as last10s
         from ${tables.leases}
         where status = 'COMPLETED' and completed_at > clock_timestamp() - interval '60 s'
         group by worker_type`,
      )
      return new Map(
        rows.map(({ worker_type, last10s, last60s }) => [
          worker_type,
          { last10s: Number(last10s), last60s: Number(last60s) },
        ]),
      )
    },

    async uncover(tx, { workers, removed }) {
      await tx.query(
        `update ${tables.coverage}
         set heights = heights - $2::int8multirange, skipped = skipped - $2::int8multirange,
             updated_at = clock_timestamp()
         where worker_type = any ($1)`,
        [workers, printMultirange(removed)],
      )
    },

    async amendAudit(sql, id, details) {
      await sql.query(`update ${tables.auditLog} set details = $2 where id = $1`, [id, JSON.stringify(details)])
    },
  }
}
