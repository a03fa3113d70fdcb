// The messages between an ingest thread and its process, beside those of every thread.

import type { RollbackIntent } from "../coordination/rollback-ledger.js"
import type { IngestCounts } from "../platform/metrics.js"
import type { ProviderHealth } from "../source/block-source.js"
import type { SharedLimitHandle } from "../source/shared-limit.js"
import type { FaultState } from "../status/process-state.js"
import type { ThreadInput } from "../threads/thread-messages.js"

export interface IngestThreadInput extends ThreadInput {
  /** A uuid; the holder is its name for people. */
  readonly processId: string
  readonly chainId: string
  /** By RPC URL, shared by the threads of the process. */
  readonly limits: readonly SharedLimitHandle[]
  readonly followsHead: boolean
  /** Whether this process derives what it stores. */
  readonly derives: boolean
}

export type ToIngestThread =
  /** Lent: history pauses, with its connections closed, until the next message. */
  | { readonly type: "lend"; readonly lent: boolean; readonly loan: number }
  /** The answer to "roll-back"; without a rollback if it could not be finished now. */
  | { readonly type: "rolled-back"; readonly rollback: RollbackIntent | undefined }

/** Counts since the last report. */
export interface IngestReport extends IngestCounts {
  readonly type: "report"
  readonly providers: readonly ProviderHealth[]
  readonly following: boolean
  readonly lastFault: FaultState | null
  readonly lastStoredAtMs: number | null
}

export type FromIngestThread =
  | IngestReport
  /** The node has this block, since the monotonic time `at`. */
  | { readonly type: "announced"; readonly height: number; readonly at: number }
  /** The head follower stored blocks, up to this height (exclusive). */
  | { readonly type: "stored"; readonly to: number }
  /** A rollback is on record: the process finishes it, over the connections of its services. */
  | { readonly type: "roll-back" }
  /** The lanes of history have closed their connections for this loan, or it was over before. */
  | { readonly type: "lent"; readonly loan: number }
