// Builds the declared indexes that workers' tables lack, since they were declared after the tables were filled.

import {
  ConcurrentIndexBuilder,
  type ConcurrentIndexBuilderOptions,
  type IndexBuild,
} from "../../partitions/concurrent-index-builder.js"
import type { Queryable } from "../../postgres/transaction.js"
import { indexName, type TableIndex } from "../index-name.js"
import { buildStatements, readLackingIndexes } from "./table-indexes.js"

export interface TableIndexBuilderOptions extends Omit<ConcurrentIndexBuilderOptions, "name"> {
  readonly indexes: readonly TableIndex[]
}

export class TableIndexBuilder extends ConcurrentIndexBuilder {
  constructor(private readonly options: TableIndexBuilderOptions) {
    super({ ...options, name: "table-index-builder" })
  }

  protected async isBuilding(sql: Queryable): Promise<boolean> {
    const { rows } = await sql.query<{ building: boolean }>(
      "select exists (select from pg_stat_progress_create_index where datname = current_database()) as building",
    )
    return rows[0]!.building
  }

  protected async next(sql: Queryable): Promise<IndexBuild | undefined> {
    const [lacking] = await readLackingIndexes(sql, this.options.indexes)
    if (!lacking || (await this.isBuilding(sql))) return undefined
    return { index: indexName(lacking.index), statements: buildStatements(lacking) }
  }
}
