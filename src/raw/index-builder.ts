// Gives partitions the indexes they lack, one at a time in all processes, without holding up who writes. With deferred indexes
// a partition below the live stretch waits until it is covered; an index whose making was cut off is dropped and made again.

import type { CoverageLedger } from "../coordination/coverage-ledger.js"
import type { Elections } from "../coordination/elections.js"
import { rawIngester } from "../coordination/raw-ingester.js"
import { contains, union } from "../domain/range-set.js"
import type { Clock } from "../platform/clock.js"
import type { Logger } from "../platform/logger.js"
import { LoopingService } from "../platform/looping-service.js"
import type { Connection } from "../postgres/connection.js"
import type { Database } from "../postgres/database.js"
import { quoteIdentifier } from "../postgres/quote-identifier.js"
import type { Queryable } from "../postgres/transaction.js"
import type { ChainState } from "./chain-state.js"
import {
  createIndexSql,
  indexName,
  type PartitionIndexState,
  readPartitionIndexes,
} from "./partition-indexes.js"
import type { PartitionedTable } from "./partitioned-table.js"

export interface IndexBuilderOptions {
  readonly database: Database
  /** The statement may run for hours: it has a connection of its own, open for that long. */
  readonly connect: () => Promise<Connection>
  readonly elections: Elections
  readonly ledger: Pick<CoverageLedger, "readCoverage">
  readonly tables: readonly PartitionedTable[]
  /** False: what is missing is made at once. */
  readonly defer: boolean
  /** Where the chain and its live stretch begin. */
  readonly chain: () => Promise<Pick<ChainState, "startHeight" | "liveFrom"> | undefined>
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
    const isMine = await this.options.elections.win(tx, "index-builder")
    const next = isMine ? await this.next(tx) : undefined
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
    const { startHeight = 0, liveFrom = null } = (await this.options.chain()) ?? {}
    const coverage = await this.options.ledger.readCoverage(sql)
    return lacking.find(({ table, range }) => {
      if (liveFrom !== null && range.to > liveFrom) return true
      const covered = coverage.get(table.worker ?? rawIngester)
      const from = Math.min(Math.max(range.from, startHeight), range.to - 1)
      return (
        covered !== undefined && contains(union(covered.heights, covered.skipped), { from, to: range.to })
      )
    })
  }
}
