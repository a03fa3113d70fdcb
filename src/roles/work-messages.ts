// The messages between a work thread and its process, beside those of every thread.

import type { WorkCounts } from "../platform/metrics.js"
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
export interface WorkReport extends WorkCounts {
  readonly type: "report"
}

export type FromWorkThread =
  | WorkReport
  /** Every worker has these blocks, since the monotonic time `at`. */
  | { readonly type: "derived"; readonly from: number; readonly to: number; readonly at: number }
