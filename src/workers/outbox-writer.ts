// Tells what happens to the chain in app.outbox: blocks as they are stored, how far everything is derived, and its
// status. Rollbacks write their own entries. A trigger numbers all of them in the order of their commits. Deriving writes
// nothing here, so it pays nothing for it.

import type { CoverageLedger } from "../coordination/coverage-ledger.js"
import type { Elections } from "../coordination/elections.js"
import { LoopingService, type LoopOptions } from "../platform/looping-service.js"
import type { Database } from "../postgres/database.js"
import type { Queryable } from "../postgres/transaction.js"
import { type OutboxRetention, pruneOutbox } from "./prune-outbox.js"

export interface OutboxWriterOptions extends Omit<LoopOptions, "name">, OutboxRetention {
  readonly raw: Database
  readonly app: Database
  readonly elections: Elections
  readonly ledger: Pick<CoverageLedger, "lockChain">
}

/** More blocks at once are history that filled in, or an outage: only the newest are told. */
const blocksAtOnce = 64
const pruneMs = 60_000
const lockTimeoutMs = 1_000

interface Told {
  readonly [column: string]: unknown
  readonly epoch: string
  /** The last block that was told and is not rolled back. */
  readonly height: string | null
  readonly watermark: string | null
  readonly status: string | null
  /** The end of the covered stretch above that block; null while the next one is missing. */
  readonly next_end: string | null
  /** The highest covered stretch. */
  readonly tip_from: string | null
  readonly tip: string | null
  readonly raw_height: string | null
  readonly worker_height: string | null
  readonly workers: string
}

interface RawNews {
  readonly [column: string]: unknown
  readonly epoch: string
  readonly halted: boolean
  readonly reason: string | null
  readonly blocks: readonly { readonly height: string }[]
}

interface Entry {
  readonly kind: "block" | "watermark" | "status"
  readonly payload: object
}

export class OutboxWriter extends LoopingService {
  private prunedAt = Number.NEGATIVE_INFINITY

  constructor(private readonly options: OutboxWriterOptions) {
    super({ ...options, name: "outbox-writer" })
  }

  async runOnce(): Promise<undefined> {
    await this.tellNews()
    if (this.clock.monotonic() - this.prunedAt < pruneMs) return
    await pruneOutbox(this.options.app, this.options)
    this.prunedAt = this.clock.monotonic()
  }

  /** Looks without any lock first: nothing new is the rule. Raw is read then too, so that no run holds two connections. */
  private async tellNews(): Promise<void> {
    const { app, elections, ledger } = this.options
    const looked = await readTold(app)
    const source = looked && (await this.readRaw(looked))
    // Raw is ahead of app or behind it, in the midst of a rollback. What there is to tell can wait.
    if (!looked || source?.epoch !== looked.epoch || newsOf(looked, source).entries.length === 0) return
    await app.transaction(
      async (tx) => {
        // App goes back before raw does, so what raw held at this epoch still stands while the lock is held.
        await ledger.lockChain(tx, "shared")
        if (!(await elections.win(tx, "outbox-writer"))) return
        const told = await readTold(tx)
        // Another writer was faster, or a rollback.
        if (told?.epoch !== looked.epoch || told.height !== looked.height) return
        await tell(tx, told, source)
      },
      { lockTimeoutMs },
    )
  }

  private async readRaw(told: Told): Promise<RawNews | undefined> {
    const { rows } = await this.options.raw.query<RawNews>(
      `select chain_epoch::text as epoch, halted_at is not null as halted, halt_reason as reason,
         coalesce((select jsonb_agg(jsonb_build_object('height', height::text, 'hash', '0x' || encode(hash, 'hex'),
           'timestamp', timestamp, 'transaction_count', transaction_count) order by height)
           from raw.blocks where height between $1 and $2), '[]') as blocks
       from raw.chain_state`,
      untold(told),
    )
    return rows[0]
  }
}

/** First and last height to tell; the first is above the last where there is none. */
function untold({ height, next_end, tip_from, tip }: Told): readonly [number, number] {
  if (tip === null) return [0, -1]
  const end = Number(tip)
  if (height === null) return [end, end]
  if (end - Number(height) > blocksAtOnce) return [Math.max(end - blocksAtOnce + 1, Number(tip_from)), end]
  // Never past a hole: ranges of history may be stored in any order, and its blocks would never be told.
  return [Number(height) + 1, next_end === null ? -1 : Number(next_end)]
}

/** Null while a worker has derived nothing from the start on. */
function lower(raw: string | null, derived: string | null, workers: string): string | null {
  if (workers === "0") return raw
  return raw === null || derived === null ? null : String(Math.min(Number(raw), Number(derived)))
}

const same = (told: string | null, now: object): boolean => told === JSON.stringify(now)

const readTold = async (sql: Queryable): Promise<Told | undefined> => (await sql.query<Told>(toldSql)).rows[0]

function newsOf(told: Told, source: RawNews) {
  const { raw_height } = told
  const watermark = { height: lower(raw_height, told.worker_height, told.workers), raw_height }
  const status = { halted: source.halted, reason: source.reason }
  const entries: Entry[] = [
    ...source.blocks.map((payload) => ({ kind: "block" as const, payload })),
    ...(same(told.watermark, watermark) ? [] : [{ kind: "watermark" as const, payload: watermark }]),
    ...(same(told.status, status) ? [] : [{ kind: "status" as const, payload: status }]),
  ]
  return { entries, watermark, status }
}

async function tell(tx: Queryable, told: Told, source: RawNews): Promise<void> {
  const { entries, watermark, status } = newsOf(told, source)
  await tx.query(
    `insert into app.outbox (id, kind, epoch, payload)
     select gen_random_uuid(), kind, $1::int8, payload
     from unnest($2::text[], $3::jsonb[]) with ordinality as entry (kind, payload, at) order by at`,
    [told.epoch, entries.map(({ kind }) => kind), entries.map(({ payload }) => JSON.stringify(payload))],
  )
  const height = source.blocks.at(-1)?.height ?? told.height
  await tx.query(
    `update app.outbox_state set chain_epoch = $1, block_height = $2::int8, watermark = $3, status = $4`,
    [told.epoch, height, JSON.stringify(watermark), JSON.stringify(status)],
  )
}

const toldSql = `
select chain.chain_epoch::text as epoch, told.height::text, state.watermark, state.status,
  (select (upper(part) - 1)::text from unnest(raw.heights) as part where part @> told.height + 1) as next_end,
  (select lower(part)::text from unnest(raw.heights) as part where part @> upper(raw.heights) - 1) as tip_from,
  (upper(raw.heights) - 1)::text as tip,
  (select last_height::text from app.indexing_checkpoints where worker_name = 'raw_ingester') as raw_height,
  case when points.any_missing then null else points.least::text end as worker_height, points.workers::text
from app.outbox_state as state cross join app.chain_state as chain
left join app.coverage as raw on raw.worker_type = 'raw_ingester'
cross join lateral (
  -- Rollbacks that the writer has not seen yet took back what it told.
  select least(state.block_height, min(lower(removed)) - 1) as height
  from app.rollbacks where epoch > coalesce(state.chain_epoch, -1)) as told
cross join lateral (
  select bool_or(last_height is null) as any_missing, min(last_height) as least, count(*) as workers
  from app.indexing_checkpoints where worker_name <> 'raw_ingester') as points`
