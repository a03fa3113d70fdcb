// What a work thread and its process tell each other.

import type { Lease } from "../coordination/lease-store.js"
import type { ChainConfig } from "../platform/load-config.js"
import type { ProcessSettings } from "../platform/settings.js"
import type { ThreadLog } from "./ingest-messages.js"

export interface WorkThreadInput {
  readonly index: number
  readonly holder: string
  readonly chain: ChainConfig
  readonly chainName: string
  readonly rawUrl: string
  readonly appUrl: string
  readonly settings: ProcessSettings
  /** Where the user's own workers are declared: functions cannot be sent to a thread, so it loads them itself. */
  readonly configFile: string | undefined
  /** Workers whose tables are ready for them. */
  readonly runnable: readonly string[]
  readonly lanes: number
  /** Shared with the process: which worker is busy with which block. */
  readonly progress: SharedArrayBuffer
}

export type ToWorkThread =
  | { readonly type: "stop" }
  | { readonly type: "pause"; readonly reason: string | null }
  /** Raw has something new. */
  | { readonly type: "wake" }
  /** A lease could not be renewed: whatever it was for must not go on. */
  | { readonly type: "lost"; readonly epoch: string }

/** Counts since the report before. */
export interface WorkReport {
  readonly type: "report"
  /** Ranges done and blocks derived, by worker. */
  readonly workers: Readonly<
    Record<string, { readonly ranges: number; readonly blocks: number; readonly extractMs: number }>
  >
  /** Faults by worker. */
  readonly faults: Readonly<Record<string, number>>
  readonly rows: number
  readonly bytes: number
  readonly readMs: number
  readonly extractMs: number
  readonly writeMs: number
  readonly foldMs: number
}

export type FromWorkThread =
  | WorkReport
  | ThreadLog
  | { readonly type: "held"; readonly leases: readonly Lease[]; readonly sentAt: number }
  | { readonly type: "let-go"; readonly epochs: readonly string[] }
  /** Every worker has these blocks, since the monotonic time `at`. */
  | { readonly type: "derived"; readonly from: number; readonly to: number; readonly at: number }
  | { readonly type: "stopped" }
