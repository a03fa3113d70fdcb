// Where the blocks of a range go: a family's writer turns them into the rows of its tables, and those into the open transaction.

import type { LinkedBlock } from "../domain/linked-block.js"
import type { SqlConnection } from "../postgres/sql-connection.js"

export interface FlushOptions {
  /** Another schema than raw, where blocks are compared and not kept. */
  readonly schema?: string
  readonly lookups?: boolean
  /** Waited for between the tables of a large flush. */
  readonly between?: () => Promise<void>
}

export interface BlockWriter {
  /** Bytes encoded and not yet flushed. */
  readonly byteLength: number
  /** Takes the blocks of its own family's source only. */
  add(block: LinkedBlock): void
  flush(tx: SqlConnection, options?: FlushOptions): Promise<void>
  /** Ready for another range, in the same memory. What was not flushed is forgotten. */
  reset(): void
}
