// What an ingest thread and its process tell each other, beside what every thread does.

import type { RollbackIntent } from "../coordination/rollback-ledger.js"
import type { ChainConfig } from "../platform/load-config.js"
import type { ProcessSettings } from "../platform/settings.js"
import type { ProviderHealth } from "../source/block-source.js"
import type { RpcCounter } from "../source/rpc-counters.js"
import type { SharedLimitHandle } from "../source/shared-limit.js"
import type { FaultState } from "../status/process-state.js"

export interface IngestThreadInput {
  readonly index: number
  readonly holder: string
  readonly chain: ChainConfig
  readonly chainName: string
  readonly chainId: string
  readonly rawUrl: string
  readonly settings: ProcessSettings
  /** By RPC URL, shared by the threads of the process. */
  readonly limits: readonly SharedLimitHandle[]
  readonly followsHead: boolean
  readonly lanes: number
  /** Shared by the threads of the chain: whether a new block is being stored or derived. */
  readonly gate: SharedArrayBuffer
  /** Whether this process derives what it stores. */
  readonly derives: boolean
}

export type ToIngestThread =
  /** History stands still, with its connections closed, until it is told to go on. */
  | { readonly type: "lend"; readonly lent: boolean }
  /** The answer to "roll-back"; without a rollback where it could not be finished now. */
  | { readonly type: "rolled-back"; readonly rollback: RollbackIntent | undefined }

/** Counts since the report before. */
export interface IngestReport {
  readonly type: "report"
  readonly blocks: number
  readonly transactions: number
  readonly events: number
  readonly encodedBytes: number
  readonly sourceBytes: number
  readonly ranges: number
  /** Failed ranges by error code. */
  readonly failures: Readonly<Record<string, number>>
  readonly rpc: readonly RpcCounter[]
  readonly providers: readonly ProviderHealth[]
  readonly following: boolean
  readonly lastFault: FaultState | null
  readonly lastStoredAtMs: number | null
  /** Seconds from the head's announcement to its commit, for heads stored since the report before. */
  readonly headDelays: readonly number[]
}

export type FromIngestThread =
  | IngestReport
  /** The node has this block, since the monotonic time `at`. */
  | { readonly type: "announced"; readonly height: number; readonly at: number }
  /** The head follower stored blocks, up to this height (exclusive). */
  | { readonly type: "stored"; readonly to: number }
  /** A rollback is on record: the process finishes it, over connections that it has anyway. */
  | { readonly type: "roll-back" }
  /** The lanes of history have closed their connections. */
  | { readonly type: "lent" }
