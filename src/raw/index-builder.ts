// Builds the indexes that partitions lack, one at a time among all processes, without blocking writers. With
// deferred indexes a partition below the live stretch waits until it is covered. An index whose build was
// interrupted is dropped and rebuilt.

import type { CoverageLedger } from "../coordination/coverage-ledger.js"
import type { Elections } from "../coordination/elections.js"
import { rawIngester } from "../coordination/raw-ingester.js"
import { contains, union } from "../domain/range-set.js"
import {
  createIndexSql,
  indexName,
  type PartitionIndexState,
  readPartitionIndexes,
} from "../partitions/partition-indexes.js"
import type { PartitionedTable } from "../partitions/partitioned-table.js"
import { LoopingService, type LoopOptions } from "../platform/looping-service.js"
import type { Connection } from "../postgres/connection.js"
import type { Database } from "../postgres/database.js"
import { quoteIdentifier } from "../postgres/quote-identifier.js"
import type { Queryable } from "../postgres/transaction.js"
import type { ChainState } from "./chain-state.js"

export interface IndexBuilderOptions extends Omit<LoopOptions, "name"> {
  readonly database: Database
  /** The statement may run for hours, so it has a connection of its own. */
  readonly connect: () => Promise<Connection>
  readonly elections: Elections
  readonly ledger: Pick<CoverageLedger, "readCoverage">
  readonly tables: readonly PartitionedTable[]
  /** False: missing indexes are built at once. */
  readonly defer: boolean
  /** Where the chain and its live stretch begin. */
  readonly chain: () => Promise<Pick<ChainState, "startHeight" | "liveFrom"> | undefined>
}

/** How often, and how many times, to check whether the server lists a statement that was sent as an index build. */
const checkMs = 20
const maxChecks = 100

export class IndexBuilder extends LoopingService {
  constructor(private readonly options: IndexBuilderOptions) {
    super({ ...options, name: "index-builder" })
  }

  async runOnce(signal: AbortSignal): Promise<number | undefined> {
    const { database, connect } = this.options
    if ((await this.next(database)) === undefined) return undefined
    const connection = await connect()
    // The server goes on alone and may finish. If it does not, the next start finds an invalid index.
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

  // An index cannot be built concurrently inside a transaction, so the election cannot last as long as the build. It
  // lasts until the server lists the build for all sessions, and the process elected next then starts no other.
  private async startNext(
    tx: Queryable,
    connection: Connection,
  ): Promise<{ readonly done: Promise<void> } | undefined> {
    const isMine = await this.options.elections.win(tx, "index-builder")
    const next = isMine ? await this.next(tx) : undefined
    if (!next) return undefined
    let over = false
    const done = this.build(connection, next).finally(() => {
      over = true
    })
    // The caller awaits it after this transaction and gets the error then.
    done.catch(() => undefined)
    for (let check = 0; check < maxChecks && !over; check++) {
      await tx.query("select pg_stat_clear_snapshot()")
      const states = await readPartitionIndexes(tx, this.options.tables)
      if (states.some(({ building }) => building)) break
      await this.clock.sleep(checkMs)
    }
    return { done }
  }

  private async build(connection: Connection, wanted: PartitionIndexState): Promise<void> {
    const { table, partition, index, state } = wanted
    const { schema } = table
    const name = indexName(partition, index)
    const began = this.clock.monotonic()
    if (state === "invalid") await connection.query(`drop index concurrently ${quoteIdentifier(schema, name)}`)
    await connection.query(createIndexSql({ schema, partition, index, concurrently: true }))
    this.logger.info({ index: name, ms: Math.round(this.clock.monotonic() - began) }, "index built")
  }

  /** Undefined while any process builds one. */
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
      return covered !== undefined && contains(union(covered.heights, covered.skipped), { from, to: range.to })
    })
  }
}
