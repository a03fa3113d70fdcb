// Where the blocks of a range go: a chain family's writer encodes them as rows of its tables and copies those into
// the open transaction.

import type { LinkedBlock } from "../domain/linked-block.js"
import type { SqlConnection } from "../postgres/sql-connection.js"

export interface FlushOptions {
  /** A schema other than raw, for blocks that are compared and not kept. */
  readonly schema?: string
  readonly lookups?: boolean
  /** Awaited between the tables of a large flush. */
  readonly between?: () => Promise<void>
}

export interface BlockWriter<Block extends LinkedBlock = LinkedBlock> {
  /** Bytes encoded and not yet flushed. */
  readonly byteLength: number
  add(block: Block): void
  flush(tx: SqlConnection, options?: FlushOptions): Promise<void>
  /** Drops what was not flushed and keeps the memory for the next range. */
  reset(): void
}
