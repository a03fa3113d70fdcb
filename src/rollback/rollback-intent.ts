// The one rollback that is under way, as raw records it before anything is deleted: any process can finish it.

import { coordinationTables } from "../coordination/postgres/coordination-tables.js"
import { type AuditEntry, writeAudit } from "../coordination/postgres/write-audit.js"
import { parseRange, printRange } from "../postgres/multirange.js"
import type { SqlExecutor } from "../postgres/sql-executor.js"
import type { Queryable } from "../postgres/transaction.js"

/** No height lies above it; printed as a range without an upper end. */
const endless = Number.MAX_SAFE_INTEGER

export interface RollbackIntent {
  readonly id: string
  readonly epoch: number
  /** What is removed: from here on, up to `to`. A reorganisation has no end, the repair of a block has. */
  readonly from: number
  readonly to: number
  /** In words; null where an older release opened it. */
  readonly reason: string | null
}

interface IntentRow {
  intent_id: string
  intent_epoch: string
  removed: string
  intent_reason: string | null
}

export async function readIntent(raw: Queryable): Promise<RollbackIntent | undefined> {
  const {
    rows: [row],
  } = await raw.query<IntentRow>(
    `select intent_id, intent_epoch, intent_removed::text as removed, intent_reason from raw.chain_state where intent_id is not null`,
  )
  if (!row) return undefined
  const { intent_id: id, intent_epoch: epoch, intent_reason: reason } = row
  return { id, epoch: Number(epoch), ...parseRange(row.removed)!, reason }
}

export interface OpenIntentRequest {
  readonly id: string
  readonly from: number
  /** Nothing stays above when left out. */
  readonly to?: number
  /** Of the last block that stays; null where none does. */
  readonly ancestorHash: string | null
  /** The chain's epoch at which the comparison was made: it is void when another rollback came first. */
  readonly epoch: number
  /** Why, for whoever reads the list of rollbacks. */
  readonly reason: string
}

/** Returns false when another rollback is open, or was finished meanwhile: then nothing happened. */
export async function openIntent(raw: Queryable, request: OpenIntentRequest): Promise<boolean> {
  const { rows } = await raw.query(
    `update raw.chain_state
     set intent_id = $1, intent_epoch = chain_epoch + 1, intent_removed = $2::int8range, intent_ancestor_hash = $3, intent_reason = $5,
         -- Only what reaches to the head settles why ingestion halted.
         halted_at = case when upper_inf($2::int8range) then null else halted_at end,
         halt_reason = case when upper_inf($2::int8range) then null else halt_reason end,
         halt_height = case when upper_inf($2::int8range) then null else halt_height end
     where intent_id is null and chain_epoch = $4
     returning 1 as opened`,
    [
      request.id,
      printRange({ from: request.from, to: request.to ?? endless }),
      request.ancestorHash === null ? null : Buffer.from(request.ancestorHash.slice(2), "hex"),
      request.epoch,
      request.reason,
    ],
  )
  return rows.length === 1
}

// It holds the row that commits above finality ask for.
const auditedLimits = { idleInTransactionTimeoutMs: 10_000 } as const

/** What a person asked for: recorded together with who it was, since any process may finish it from then on. */
export function openAuditedIntent<Tx extends Queryable>(
  raw: SqlExecutor<Tx>,
  request: OpenIntentRequest,
  audit: AuditEntry,
): Promise<boolean> {
  return raw.transaction(async (tx) => {
    const opened = await openIntent(tx, request)
    if (opened) await writeAudit(coordinationTables("raw"), tx, audit)
    return opened
  }, auditedLimits)
}
