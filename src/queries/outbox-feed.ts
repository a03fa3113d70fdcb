// The newest entries of one chain's outbox, read once for all readers of the stream. Entries are consecutive, in commit
// order, and given out only when a crash of the database cannot take them back.

import { LoopingService, type LoopOptions } from "../platform/looping-service.js"
import type { ServedChain } from "./served-chain.js"

export interface FeedEntry {
  readonly sequence: number
  /** The event without its id, ready to be sent. */
  readonly text: string
}

interface OutboxRow {
  readonly sequence: number
  readonly kind: string
  readonly epoch: number
  readonly payload: object
  readonly created_at: string
}

interface Read {
  readonly [column: string]: unknown
  readonly last: string
  readonly pruned: string
  /** Where the log of the database ends; null on a replica, which gets what is flushed only. */
  readonly log_end: string | null
  readonly is_flushed: boolean | null
  readonly entries: readonly OutboxRow[]
}

export interface OutboxFeedOptions extends Omit<LoopOptions, "name"> {
  readonly chain: Pick<ServedChain, "name" | "read">
}

/** Kept in memory, so that readers that reconnect after a restart cost no query: some minutes of a fast chain. */
const keptEntries = 2_000
const pageEntries = 100
const behindMs = 5_000

export class OutboxFeed extends LoopingService {
  readonly chain: string
  private entries: FeedEntry[] = []
  private lastSequence: number | undefined
  private prunedSequence = 0
  private readonly listeners = new Set<() => void>()
  /** Rollbacks seen, but perhaps not flushed: up to which entry, and how far the log must be flushed. */
  private held: { readonly upTo: number; readonly logEnd: string } | undefined

  private behindSince: number | undefined

  constructor(private readonly options: OutboxFeedOptions) {
    super({ ...options, name: "outbox-feed" })
    this.chain = options.chain.name
  }

  /** Of the newest entry; undefined before the first read. */
  get last(): number | undefined {
    return this.lastSequence
  }

  /** A reader that has read no further has missed something. */
  get pruned(): number {
    return this.prunedSequence
  }

  /** Called after every read. Without listeners the feed reads nothing. */
  listen(listener: () => void): () => void {
    this.listeners.add(listener)
    this.wake()
    return () => void this.listeners.delete(listener)
  }

  /** Entries after `sequence`; undefined when they are no longer in memory. */
  after(sequence: number): readonly FeedEntry[] | undefined {
    const first = this.entries[0]?.sequence ?? (this.lastSequence ?? 0) + 1
    return sequence + 1 < first ? undefined : this.entries.slice(sequence + 1 - first)
  }

  /** For a reader that has been away: a page of older entries. Empty when some after `sequence` are pruned. */
  async page(sequence: number): Promise<readonly FeedEntry[]> {
    const { entries, pruned } = await this.read(sequence, pageEntries)
    this.prunedSequence = Math.max(this.prunedSequence, Number(pruned))
    return sequence < this.prunedSequence ? [] : entries.filter((one) => one.sequence <= this.last!).map(entryOf)
  }

  async runOnce(): Promise<number | undefined> {
    if (this.listeners.size === 0) {
      this.entries = []
      this.lastSequence = undefined
      return undefined
    }
    const read = await this.read(this.lastSequence, keptEntries)
    if (this.isOther(read)) {
      this.entries = []
      this.lastSequence = undefined
      return 0
    }
    const certain = this.certain(read)
    this.prunedSequence = Number(read.pruned)
    this.entries = [...this.entries, ...certain.map(entryOf)].slice(-keptEntries)
    this.lastSequence = certain.at(-1)?.sequence ?? this.lastSequence ?? this.lastOf(read)
    for (const listener of this.listeners) listener()
    return certain.length === keptEntries ? 0 : undefined
  }

  /** Entries between were pruned, or the store has been restored and counts from further back: the feed starts again. */
  private isOther({ last, pruned }: Read): boolean {
    if (this.lastSequence === undefined) return false
    const isBehind = Number(last) < this.lastSequence
    if (!isBehind) this.behindSince = undefined
    else this.behindSince ??= this.clock.monotonic()
    // Another replica may be a little behind.
    const isRestored = this.behindSince !== undefined && this.clock.monotonic() - this.behindSince > behindMs
    return isRestored || Number(pruned) > this.lastSequence
  }

  private lastOf({ last, entries }: Read): number {
    return entries[0] ? entries[0].sequence - 1 : Number(last)
  }

  /**
   * Rollbacks may be committed without a flush: a crash could take one back, and its number would be given to another
   * entry. The other entries wait for the disk, and make certain what is before them.
   */
  private certain({ entries, log_end, is_flushed }: Read): readonly OutboxRow[] {
    const flushed = is_flushed && this.held ? this.held.upTo : 0
    const end = entries.findLastIndex(({ kind, sequence }) => kind !== "rollback" || sequence <= flushed) + 1
    const last = entries.at(-1)
    if (log_end === null) return entries
    if (!last || end === entries.length) this.held = undefined
    else if (!this.held || is_flushed) this.held = { upTo: last.sequence, logEnd: log_end }
    return entries.slice(0, end)
  }

  /** The newest `limit` entries without `after`, else the first `limit` after it. */
  private read(after: number | undefined, limit: number): Promise<Read> {
    return this.options.chain.read("app", async (tx) => {
      const { rows } = await tx.query<Read>(readSql, [after ?? null, limit, this.held?.logEnd ?? null])
      return rows[0]!
    })
  }
}

const readSql = `
select last_sequence::text as last, pruned_sequence::text as pruned,
  case when not pg_is_in_recovery() then pg_current_wal_insert_lsn()::text end as log_end,
  case when not pg_is_in_recovery() then pg_current_wal_flush_lsn() >= $3::pg_lsn end as is_flushed,
  coalesce((select json_agg(json_build_object('sequence', sequence, 'kind', kind, 'epoch', epoch, 'payload', payload,
      'created_at', created_at) order by sequence)
    from (select sequence, kind, epoch, payload, created_at from app.outbox
      where sequence > greatest(coalesce($1::int8, last_sequence - $2::int8), pruned_sequence)
      order by sequence limit $2::int8) as entry), '[]') as entries
from app.outbox_state`

const entryOf = ({ sequence, kind, epoch, payload, created_at }: OutboxRow): FeedEntry => ({
  sequence,
  text: `event: ${kind}\ndata: ${JSON.stringify({ ...payload, epoch, created_at })}\n\n`,
})
