// The contract of the chain's record in raw: head and finality as last reported, which process follows the head, and whether
// ingestion is halted.

import type { Queryable } from "../postgres/transaction.js"
import type { ProcessIdentity } from "./process-identity.js"

export interface HeadReport {
  readonly head: { readonly height: number; readonly hash: string }
  readonly finalizedHeight: number
  readonly holder: ProcessIdentity
}

export interface ChainRecord {
  /**
   * Records what the node reports, and returns the recorded finality. Finality never decreases, and the live stretch opens
   * at its first value. It rises only over blocks of the chain it was reported for: what is stored above it must be linked
   * up to the head. Otherwise a replaced block could end up below finality, where it is never compared.
   */
  recordHead(sql: Queryable, report: HeadReport): Promise<number>
  /** For a finality reported before everything stored above the recorded one was compared with the node and matched. */
  recordFinality(sql: Queryable, report: Pick<HeadReport, "finalizedHeight" | "holder">): Promise<void>
  /**
   * For the process that takes over: from now on no other process can store blocks above finality, and a commit in
   * progress is waited for. A statement of its own, before anything is compared or finality is raised, since those must
   * see that commit.
   */
  takeHeadPost(sql: Queryable, holder: ProcessIdentity): Promise<void>
  /** Keeps other processes from taking over for a while, during a comparison. False: one has taken over. */
  keepHeadPost(sql: Queryable, holder: ProcessIdentity): Promise<boolean>
  /** In the transaction that stores blocks above finality; no other process can take over until it ends. Throws POST_LOST. */
  assertHeadPost(tx: Queryable, holder: Pick<ProcessIdentity, "id">): Promise<void>
  /** Nothing is stored until an operator decides, or the node is back on the stored chain. */
  halt(sql: Queryable, halt: { readonly reason: string; readonly height: number }): Promise<void>
  /** True when it was halted. */
  resume(sql: Queryable): Promise<boolean>
}
