// The contract of the chain's record in raw: head and finality as last heard, who follows the head, and whether ingestion halts.

import type { Queryable } from "../postgres/transaction.js"

interface HeadReport {
  readonly head: { readonly height: number; readonly hash: string }
  readonly finalizedHeight: number
  readonly holder: string
}

export interface ChainRecord {
  /**
   * Records what the node says, and returns the finality that is on record. Finality never goes back, and the live stretch opens where it
   * stood first. It rises only over blocks that are on the chain it was said of: where something is stored above it, that has to be linked
   * up to the head. A block that was stored and lost meanwhile would otherwise lie below finality, where it is never looked for.
   */
  recordHead(sql: Queryable, report: HeadReport): Promise<number>
  /** For a finality that was heard before all that is stored above the one on record was compared with the node, and found on its chain. */
  recordFinality(sql: Queryable, finalizedHeight: number): Promise<void>
  /**
   * For the process that takes over: from here on nothing that another one has under way above finality is stored, and what it was about
   * to commit is waited for. In a statement of its own, before anything is compared or finality is raised, since those must see that commit.
   */
  takeHeadPost(sql: Queryable, holder: string): Promise<void>
  /** In the transaction that stores blocks above finality, until whose end the post cannot change hands. Throws POST_LOST. */
  assertHeadPost(tx: Queryable, holder: string): Promise<void>
  /** Nothing is stored until a person has decided, or the node is back on the stored chain. */
  halt(sql: Queryable, halt: { readonly reason: string; readonly height: number }): Promise<void>
  /** True when it was halted. */
  resume(sql: Queryable): Promise<boolean>
}
