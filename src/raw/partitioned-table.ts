// How a table is cut into partitions by height, and which indexes each partition gets.

export interface PartitionIndex {
  /** After the partition's name and an underscore: what the index is called. */
  readonly name: string
  /** What stands between the brackets of its statement. */
  readonly on: string
}

export interface PartitionedTable {
  readonly schema: string
  readonly table: string
  readonly blocksPerPartition: number
  /** Besides the primary key. Not to be made on the parent: Postgres would make them with each partition, deferred or not. */
  readonly indexes?: readonly PartitionIndex[]
  /** Whose coverage says that a partition is full; the raw ingester's by default. */
  readonly worker?: string
}
