// Rolls back all blocks above a height: the way out of a halt, when the node is right after all. The plan counts what
// that removes, and is void when another rollback comes first.

import { rawIngester } from "../coordination/raw-ingester.js"
import type { RollbackIntent } from "../coordination/rollback-ledger.js"
import { countHeights, intersect } from "../domain/range-set.js"
import { IndexerError } from "../platform/errors.js"
import { heightFrom } from "../postgres/postgres-error.js"
import { cancelRollback, describeRemoved } from "../rollback/cancel-rollback.js"
import { finishRollbackPatiently } from "../rollback/finish-rollback.js"
import { openAuditedIntent } from "../rollback/open-audited-intent.js"
import type { OperatedChain } from "./operated-chain.js"

export interface RollbackPlan {
  /** The last block that stays. */
  readonly to: number
  readonly highest: number
  readonly epoch: number
  /** Why ingestion halts, if it does. */
  readonly halt: string | null
  readonly blocks: number
  readonly transactions: number
  readonly events: number
  readonly ancestorHash: string | null
  /** Of each worker, how many heights are undone; those that have nothing above are left out. */
  readonly workers: readonly { readonly worker: string; readonly blocks: number }[]
}

/** Throws NOT_FOUND where nothing lies above the height, USAGE where the chain starts above it. */
export async function planRollback(
  { raw, app, ledgers, name }: OperatedChain,
  { to }: { readonly to: number },
): Promise<RollbackPlan> {
  const {
    rows: [row],
  } = await raw.query<Record<string, string | null> & { ancestor: Buffer | null }>(
    `select start_height, chain_epoch, halt_reason,
       (select upper(range_merge(heights)) - 1 from raw.coverage
        where worker_type = $2 and not isempty(heights)) as highest,
       (select hash from raw.blocks where height = $1) as ancestor,
       (select count(*) from raw.blocks where height > $1) as blocks,
       (select coalesce(sum(transaction_count), 0) from raw.blocks where height > $1) as transactions,
       (select coalesce(sum(event_count), 0) from raw.blocks where height > $1) as events
     from raw.chain_state`,
    [to, rawIngester],
  )
  const highest = row?.["highest"] == null ? undefined : heightFrom(row["highest"])
  if (!row || highest === undefined || highest <= to) {
    throw new IndexerError("NOT_FOUND", `${name} has nothing stored above block ${to}`)
  }
  const start = heightFrom(row["start_height"]!)
  if (to < start - 1) {
    throw new IndexerError(
      "USAGE",
      `${name} starts at block ${start}: nothing below ${start - 1} can be rolled back to`,
    )
  }
  const coverage = await ledgers.app.readCoverage(app)
  const above = [{ from: to + 1, to: Number.MAX_SAFE_INTEGER }]
  const workers = [...coverage]
    // App's copy of raw's coverage.
    .filter(([worker]) => worker !== rawIngester)
    .map(([worker, { heights }]) => ({ worker, blocks: countHeights(intersect(heights, above)) }))
    .filter(({ blocks }) => blocks > 0)
    .sort((a, b) => (a.worker < b.worker ? -1 : 1))
  return {
    to,
    highest,
    epoch: Number(row["chain_epoch"]),
    halt: row["halt_reason"] ?? null,
    blocks: Number(row["blocks"]),
    transactions: Number(row["transactions"]),
    events: Number(row["events"]),
    ancestorHash: row.ancestor ? `0x${row.ancestor.toString("hex")}` : null,
    workers,
  }
}

export async function rollbackChain(
  chain: OperatedChain,
  {
    actor,
    plan,
    reason,
  }: {
    readonly actor: string
    readonly plan: RollbackPlan
    /** In the actor's words. */
    readonly reason?: string | undefined
  },
): Promise<void> {
  const id = chain.random.uuid()
  const { to, blocks, halt, ancestorHash, epoch } = plan
  const opened = await openAuditedIntent(
    chain,
    { id, from: to + 1, ancestorHash, epoch, reason: `${reason ?? "rollback"}, asked for by ${actor}` },
    { actor, action: "rollback", details: { id, to, blocks, halt, reason: reason ?? null } },
  )
  if (!opened) {
    throw new IndexerError(
      "ROLLBACK_OPEN",
      "another rollback is in progress, or has just finished; check `tidemark status` and try again",
    )
  }
  await finishRollbackPatiently(chain)
  const done = await chain.ledgers.raw.findRollback(chain.raw, id)
  if (done?.removed === null) throw new IndexerError("ROLLBACK_CANCELLED", "the rollback was cancelled meanwhile")
}

export interface OpenRollback extends Pick<RollbackIntent, "id" | "from" | "reason"> {
  /** The heights, as people read them. */
  readonly removes: string
}

/** Cancels the open rollback, or only returns it. Throws NOT_FOUND where there is none, ROLLBACK_STARTED where it is too late. */
export async function cancelOpenRollback(
  chain: OperatedChain,
  { actor, apply }: { readonly actor: string; readonly apply: boolean },
): Promise<OpenRollback> {
  const intent = apply ? await cancelRollback(chain, { actor }) : await chain.ledgers.raw.readIntent(chain.raw)
  if (!intent) throw new IndexerError("NOT_FOUND", `${chain.name} has no open rollback`)
  const { id, from, reason } = intent
  return { id, from, reason, removes: describeRemoved(intent) }
}
