// How a table is partitioned by height, and which indexes each partition gets.

export interface PartitionIndex {
  /** The index is called `<partition>_<name>`. */
  readonly name: string
  /** The column list of its statement. */
  readonly on: string
}

export interface PartitionedTable {
  readonly schema: string
  readonly table: string
  readonly blocksPerPartition: number
  /**
   * Besides the primary key. Never created on the parent: Postgres would create them with each partition, deferred
   * or not.
   */
  readonly indexes?: readonly PartitionIndex[]
  /** The worker whose coverage shows that a partition is full; by default the raw ingester. */
  readonly worker?: string
}
