// What a work thread and its process tell each other, beside what every thread does.

import type { ChainConfig } from "../platform/load-config.js"
import type { ProcessSettings } from "../platform/settings.js"

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
  /** Derives new blocks, and nothing else; without it, history. */
  readonly derivesTip: boolean
  /** For history. */
  readonly lanes: number
  /** Shared by the threads of the chain: whether a new block is being stored or derived. */
  readonly gate: SharedArrayBuffer
  /** Shared with the process: which worker is busy with which block. */
  readonly progress: SharedArrayBuffer
}

/** Raw has something new. */
export interface ToWorkThread {
  readonly type: "wake"
}

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
  /** Every worker has these blocks, since the monotonic time `at`. */
  | { readonly type: "derived"; readonly from: number; readonly to: number; readonly at: number }
