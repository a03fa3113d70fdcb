// Gives partitions the indexes they lack, one at a time in all processes, without holding up who writes. With deferred indexes
// a partition below the live stretch waits until it is covered; an index whose making was cut off is dropped and made again.

import { coordinationTables, electionLock } from "../coordination/postgres/coordination-tables.js"
import { contains, type RangeSet, union } from "../domain/range-set.js"
import type { Clock } from "../platform/clock.js"
import type { Logger } from "../platform/logger.js"
import { LoopingService } from "../platform/looping-service.js"
import type { Connection } from "../postgres/connection.js"
import type { Database } from "../postgres/database.js"
import { parseMultirange } from "../postgres/multirange.js"
import { heightFrom } from "../postgres/postgres-error.js"
import { quoteIdentifier } from "../postgres/quote-identifier.js"
import type { Queryable } from "../postgres/transaction.js"
import {
  createIndexSql,
  indexName,
  type PartitionIndexState,
  readPartitionIndexes,
} from "./partition-indexes.js"
import type { PartitionedTable } from "./partitioned-table.js"
import { rawIngester } from "./raw-ingester.js"

export interface IndexBuilderOptions {
  readonly database: Database
  /** The statement may run for hours: it has a connection of its own, open for that long. */
  readonly connect: () => Promise<Connection>
  readonly schema: "raw" | "app"
  readonly tables: readonly PartitionedTable[]
  /** False: what is missing is made at once. */
  readonly defer: boolean
  /** Where the live stretch begins; null while nobody knows. */
  readonly liveFrom: () => Promise<number | null>
  readonly clock: Clock
  readonly logger: Logger
  readonly intervalMs: number
}

/** How long, in looks, a statement that was sent may take to show in the server's list of index builds. */
const maxLooks = 100
const lookMs = 20

export class IndexBuilder extends LoopingService {
  private readonly options: IndexBuilderOptions

  constructor(options: IndexBuilderOptions) {
    super({
      name: "index-builder",
      clock: options.clock,
      logger: options.logger,
      intervalMs: options.intervalMs,
    })
    this.options = options
  }

  async runOnce(signal: AbortSignal): Promise<number | undefined> {
    const { database, connect } = this.options
    if ((await this.next(database)) === undefined) return undefined
    const connection = await connect()
    // The server goes on alone, and may well come to the end; if it does not, the next start finds an invalid index.
    const cut = (): void => connection.destroy()
    signal.addEventListener("abort", cut, { once: true })
    try {
      const started = await database.transaction((tx) => this.startNext(tx, connection))
      await started?.done
      return started ? 0 : undefined
    } finally {
      signal.removeEventListener("abort", cut)
      await connection.end()
    }
  }

  // An index cannot be made concurrently inside a transaction, so the election cannot last as long as the making. It lasts
  // until the server shows the making to everybody, and nobody who is elected then starts another.
  private async startNext(
    tx: Queryable,
    connection: Connection,
  ): Promise<{ readonly done: Promise<void> } | undefined> {
    const {
      rows: [post],
    } = await tx.query<{ mine: boolean }>("select pg_try_advisory_xact_lock($1, $2) as mine", [
      ...electionLock("index-builder"),
    ])
    const next = post!.mine ? await this.next(tx) : undefined
    if (!next) return undefined
    let over = false
    const done = this.make(connection, next).finally(() => {
      over = true
    })
    // Told to whoever awaits it, after this transaction.
    done.catch(() => undefined)
    for (let look = 0; look < maxLooks && !over; look++) {
      await tx.query("select pg_stat_clear_snapshot()")
      const states = await readPartitionIndexes(tx, this.options.tables)
      if (states.some(({ building }) => building)) break
      await this.clock.sleep(lookMs)
    }
    return { done }
  }

  private async make(
    connection: Connection,
    { table, partition, index, state }: PartitionIndexState,
  ): Promise<void> {
    const { schema } = table
    const name = indexName(partition, index)
    const began = this.clock.monotonic()
    if (state === "invalid")
      await connection.query(`drop index concurrently ${quoteIdentifier(schema, name)}`)
    await connection.query(createIndexSql({ schema, partition, index, concurrently: true }))
    this.logger.info({ index: name, ms: Math.round(this.clock.monotonic() - began) }, "index made")
  }

  /** Undefined while one is being made, by whomever. */
  private async next(sql: Queryable): Promise<PartitionIndexState | undefined> {
    const { tables, defer } = this.options
    const states = await readPartitionIndexes(sql, tables)
    const lacking = states.filter(({ state }) => state !== "valid")
    if (lacking.length === 0 || states.some(({ building }) => building)) return undefined
    if (!defer) return lacking[0]
    const liveFrom = await this.options.liveFrom()
    const done = await this.readDone(sql)
    return lacking.find(({ table, range }) => {
      if (liveFrom !== null && range.to > liveFrom) return true
      const { start, heights } = done.get(table.worker ?? rawIngester) ?? { start: 0, heights: [] }
      return contains(heights, { from: Math.min(Math.max(range.from, start), range.to - 1), to: range.to })
    })
  }

  private async readDone(sql: Queryable): Promise<Map<string, { start: number; heights: RangeSet }>> {
    const { coverage, chainState } = coordinationTables(this.options.schema)
    const { rows } = await sql.query<{
      worker_type: string
      start_height: string
      heights: string
      skipped: string
    }>(
      `select worker_type, start_height, heights::text as heights, skipped::text as skipped
       from ${coverage} cross join ${chainState}`,
    )
    return new Map(
      rows.map(({ worker_type, start_height, heights, skipped }) => [
        worker_type,
        {
          start: heightFrom(start_height),
          heights: union(parseMultirange(heights), parseMultirange(skipped)),
        },
      ]),
    )
  }
}
