// Rollback records on Postgres: those of either schema, and the intent, which only raw has.

import type { BlockRange } from "../../domain/block-range.js"
import { allAnswered } from "../../postgres/all-answered.js"
import { parseMultirange, parseRange, printRange } from "../../postgres/multirange.js"
import { heightFrom } from "../../postgres/postgres-error.js"
import { rawIngester } from "../raw-ingester.js"
import type { IntentLedger, RollbackLedger } from "../rollback-ledger.js"
import { type CoordinationSchema, coordinationTables } from "./coordination-tables.js"

/** Printed as a range without an upper end. */
const endless = Number.MAX_SAFE_INTEGER
/** Of the newest rollbacks, this many epochs are counted every second. A new server is compared by all of them. */
const sightEpochs = 1_000

const parseRemoved = (text: string): BlockRange | null => parseRange(text) ?? null
const printRemoved = (removed: BlockRange | null): string => (removed ? printRange(removed) : "empty")

interface StateRow {
  chain_epoch: string
  server: string
  open: boolean
  heights: string | null
  skipped: string | null
  rollbacks: { id: string; epoch: number; removed: string; reason: string | null }[]
}

interface SightRow {
  chain_epoch: string
  settled: boolean | null
  heights: string
  skipped: string
  rollbacks: string
  last: string | null
}

export function postgresRollbackLedger(schema: CoordinationSchema): RollbackLedger {
  const { chainState, coverage, rollbacks } = coordinationTables(schema)
  const isRaw = schema === "raw"
  return {
    async readState(sql) {
      const {
        rows: [row],
      } = await sql.query<StateRow>(
        `select state.chain_epoch, pg_postmaster_start_time()::text as server,
           ${isRaw ? "state.intent_id is not null" : "false"} as open,
           coverage.heights::text as heights, coverage.skipped::text as skipped,
           coalesce((select json_agg(json_build_object(
               'id', id, 'epoch', epoch, 'removed', removed::text, 'reason', reason))
             from ${rollbacks}), '[]') as rollbacks
         from ${chainState} as state left join ${coverage} as coverage on coverage.worker_type = $1`,
        [rawIngester],
      )
      if (!row) return undefined
      return {
        epoch: Number(row.chain_epoch),
        server: row.server,
        open: row.open,
        heights: parseMultirange(row.heights ?? "{}"),
        skipped: parseMultirange(row.skipped ?? "{}"),
        rollbacks: row.rollbacks.map((one) => ({ ...one, removed: parseRemoved(one.removed) })),
      }
    },

    async readSight(sql) {
      const {
        rows: [row],
      } = await sql.query<SightRow>(
        `select state.chain_epoch,
           ${isRaw ? "state.intent_id is null and state.compared_server = pg_postmaster_start_time()" : "true"} as settled,
           coverage.heights::text as heights, coverage.skipped::text as skipped,
           (select count(*) from ${rollbacks} where epoch > state.chain_epoch - ${sightEpochs}) as rollbacks,
           (select id from ${rollbacks} order by epoch desc, id limit 1) as last
         from ${chainState} as state join ${coverage} as coverage on coverage.worker_type = $1`,
        [rawIngester],
      )
      if (!row) return undefined
      return {
        epoch: Number(row.chain_epoch),
        settled: row.settled === true,
        heights: parseMultirange(row.heights),
        skipped: parseMultirange(row.skipped),
        rollbacks: Number(row.rollbacks),
        lastRollback: row.last,
      }
    },

    async findRollback(tx, id) {
      const {
        rows: [row],
      } = await tx.query<{ removed: string }>(`select removed::text as removed from ${rollbacks} where id = $1`, [id])
      return row && { removed: parseRemoved(row.removed) }
    },

    async recordRollback(tx, { id, epoch, removed, reason }) {
      await tx.query(`insert into ${rollbacks} (id, epoch, removed, reason) values ($1, $2, $3::int8range, $4)`, [
        id,
        epoch,
        printRemoved(removed),
        reason,
      ])
    },

    async raiseEpoch(tx, epoch) {
      await tx.query(`update ${chainState} set chain_epoch = greatest(chain_epoch, $1::int8)`, [epoch])
    },
  }
}

export const postgresIntentLedger: IntentLedger = {
  async readIntent(sql) {
    const {
      rows: [row],
    } = await sql.query<{ id: string; epoch: string; removed: string; binding: boolean; reason: string | null }>(
      `select intent_id as id, intent_epoch as epoch, intent_removed::text as removed, intent_ancestor_hash is null as binding,
         intent_reason as reason
       from raw.chain_state where intent_id is not null`,
    )
    if (!row) return undefined
    const { id, binding, reason } = row
    return { id, epoch: Number(row.epoch), ...parseRange(row.removed)!, binding, reason }
  },

  async openIntent(sql, { id, from, to = endless, ancestorHash, epoch, above, reason }) {
    const { rows } = await sql.query(
      `update raw.chain_state
       set intent_id = $1, intent_epoch = greatest(chain_epoch, $5::int8) + 1, intent_removed = $2::int8range,
           intent_ancestor_hash = $3, intent_reason = $6, intent_opened_at = clock_timestamp(),
           -- Only what reaches to the head, and was compared with the node, settles why ingestion halted.
           halted_at = case when upper_inf($2::int8range) and $5::int8 is null then null else halted_at end,
           halt_reason = case when upper_inf($2::int8range) and $5::int8 is null then null else halt_reason end,
           halt_height = case when upper_inf($2::int8range) and $5::int8 is null then null else halt_height end
       where intent_id is null and chain_epoch = $4
       returning 1 as opened`,
      [
        id,
        printRange({ from, to }),
        ancestorHash === null ? null : Buffer.from(ancestorHash.slice(2), "hex"),
        epoch,
        above ?? null,
        reason,
      ],
    )
    return rows.length === 1
  },

  async closeIntent(tx, { epoch, removed, highest }) {
    await allAnswered([
      tx.query(
        `insert into raw.rollbacks (id, epoch, removed, ancestor_hash, reason, highest_height, opened_at)
         select intent_id, intent_epoch, $2::int8range, intent_ancestor_hash, intent_reason, $1::int8, intent_opened_at
         from raw.chain_state`,
        [highest, printRemoved(removed)],
      ),
      tx.query(
        `update raw.chain_state
         set chain_epoch = $1, intent_id = null, intent_epoch = null, intent_removed = null,
             intent_ancestor_hash = null, intent_reason = null, intent_opened_at = null`,
        [epoch],
      ),
    ])
  },

  // Includes earlier rollbacks: otherwise a lying node could remove history a little at a time.
  async highestEverCovered(sql) {
    const {
      rows: [row],
    } = await sql.query<{ highest: string | null }>(
      `select greatest(
         (select upper(range_merge(heights)) - 1 from raw.coverage where worker_type = $1 and not isempty(heights)),
         (select max(highest_height) from raw.rollbacks)) as highest`,
      [rawIngester],
    )
    return row?.highest ? heightFrom(row.highest) : 0
  },

  async recordComparison(sql, server) {
    await sql.query(
      `update raw.chain_state set compared_server = $1::timestamptz
       where compared_server is distinct from $1::timestamptz and pg_postmaster_start_time() = $1::timestamptz`,
      [server],
    )
  },
}
