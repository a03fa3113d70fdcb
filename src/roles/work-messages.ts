// The messages between a work thread and its process, beside those of every thread.

import type { ThreadInput } from "../threads/thread-messages.js"

export interface WorkThreadInput extends ThreadInput {
  readonly appUrl: string
  /** Where the user's own workers are declared: functions cannot be sent to a thread, so it loads them itself. */
  readonly configFile: string | undefined
  /** Workers whose tables are ready. */
  readonly runnable: readonly string[]
  /** True: derives new blocks only. False: history. */
  readonly derivesTip: boolean
  /** Shared with the process: which worker is busy with which block. */
  readonly progress: SharedArrayBuffer
}

/** Raw has something new. */
export interface ToWorkThread {
  readonly type: "wake"
}

/** Counts since the last report. */
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
