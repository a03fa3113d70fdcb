// Builds the indexes that partitions lack. With deferred indexes a partition below the live stretch waits until it is
// covered.

import type { CoverageLedger } from "../coordination/coverage-ledger.js"
import { rawIngester } from "../coordination/raw-ingester.js"
import { contains, union } from "../domain/range-set.js"
import {
  ConcurrentIndexBuilder,
  type ConcurrentIndexBuilderOptions,
  type IndexBuild,
} from "../partitions/concurrent-index-builder.js"
import {
  createIndexSql,
  indexName,
  type PartitionIndexState,
  readPartitionIndexes,
} from "../partitions/partition-indexes.js"
import type { PartitionedTable } from "../partitions/partitioned-table.js"
import { quoteIdentifier } from "../postgres/quote-identifier.js"
import type { Queryable } from "../postgres/transaction.js"
import type { ChainState } from "./chain-state.js"

export interface IndexBuilderOptions extends Omit<ConcurrentIndexBuilderOptions, "name"> {
  readonly ledger: Pick<CoverageLedger, "readCoverage">
  readonly tables: readonly PartitionedTable[]
  /** False: missing indexes are built at once. */
  readonly defer: boolean
  /** Where the chain and its live stretch begin. */
  readonly chain: (sql: Queryable) => Promise<Pick<ChainState, "startHeight" | "liveFrom"> | undefined>
}

export class IndexBuilder extends ConcurrentIndexBuilder {
  constructor(private readonly options: IndexBuilderOptions) {
    super({ ...options, name: "index-builder" })
  }

  protected async isBuilding(sql: Queryable): Promise<boolean> {
    const states = await readPartitionIndexes(sql, this.options.tables)
    return states.some(({ building }) => building)
  }

  protected async next(sql: Queryable): Promise<IndexBuild | undefined> {
    const states = await readPartitionIndexes(sql, this.options.tables)
    const lacking = states.filter(({ state }) => state !== "valid")
    if (lacking.length === 0 || states.some(({ building }) => building)) return undefined
    const wanted = await this.choose(sql, lacking)
    return wanted && buildOf(wanted)
  }

  private async choose(
    sql: Queryable,
    lacking: readonly PartitionIndexState[],
  ): Promise<PartitionIndexState | undefined> {
    if (!this.options.defer) return lacking[0]
    const { startHeight = 0, liveFrom = null } = (await this.options.chain(sql)) ?? {}
    const coverage = await this.options.ledger.readCoverage(sql)
    return lacking.find(({ table, range }) => {
      if (liveFrom !== null && range.to > liveFrom) return true
      const covered = coverage.get(table.worker ?? rawIngester)
      const from = Math.min(Math.max(range.from, startHeight), range.to - 1)
      return covered !== undefined && contains(union(covered.heights, covered.skipped), { from, to: range.to })
    })
  }
}

function buildOf({ table: { schema }, partition, index, state }: PartitionIndexState): IndexBuild {
  const name = indexName(partition, index)
  return {
    index: name,
    statements: [
      ...(state === "invalid" ? [`drop index concurrently ${quoteIdentifier(schema, name)}`] : []),
      createIndexSql({ schema, partition, index, concurrently: true }),
    ],
  }
}
