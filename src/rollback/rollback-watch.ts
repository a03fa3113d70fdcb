// What this process does with the open rollback, for status, the stall doctor and metrics; no decision of the protocol reads it.
// Of several callers in one process one carries a rollback out, and the others get its outcome.

import type { RollbackIntent } from "../coordination/rollback-ledger.js"
import type { RollbackState } from "../coordination/rollback-state.js"
import type { Clock } from "../platform/clock.js"
import { codeOf, describeError } from "../platform/errors.js"
import type { UndoProgress } from "../workers/postgres/undo-heights.js"

export interface RollbackWatchOptions {
  readonly clock: Clock
  /** This process has finished one: how many blocks it removed, and how long that took since its last attempt began. */
  readonly onFinished?: (finished: { readonly blocks: number; readonly ms: number }) => void
}

interface Seen {
  readonly id: string
  failures: number
  error: RollbackState["error"]
  step: { readonly name: "app" | "raw"; readonly beganAt: number; progress: UndoProgress } | undefined
  running: Promise<RollbackIntent | undefined> | undefined
}

export class RollbackWatch {
  private seen: Seen | undefined

  constructor(private readonly options: RollbackWatchOptions) {}

  /** Nothing is open. */
  none(): void {
    if (!this.seen?.running) this.seen = undefined
  }

  run({ id }: RollbackIntent, work: () => Promise<FinishedRollback>): Promise<RollbackIntent | undefined> {
    if (this.seen?.id !== id) this.seen = { id, failures: 0, error: null, step: undefined, running: undefined }
    const seen = this.seen
    seen.running ??= this.carryOut(seen, work)
    return seen.running
  }

  report(name: "app" | "raw", progress: UndoProgress): void {
    const { seen } = this
    if (!seen) return
    if (seen.step?.name === name) seen.step.progress = progress
    else seen.step = { name, beganAt: this.options.clock.monotonic(), progress }
  }

  state(): RollbackState | null {
    if (!this.seen) return null
    const { id, failures, error, step } = this.seen
    const { done, total } = step?.progress ?? { done: 0, total: 0 }
    const tookMs = step ? this.options.clock.monotonic() - step.beganAt : 0
    const etaMs = done > 0 ? Math.round((tookMs / done) * (total - done)) : null
    return { id, step: step?.name ?? null, done, total, etaMs, failures, error }
  }

  private async carryOut(seen: Seen, work: () => Promise<FinishedRollback>): Promise<RollbackIntent | undefined> {
    const beganAt = this.options.clock.monotonic()
    try {
      const { intent, blocks } = await work()
      if (blocks !== undefined) this.options.onFinished?.({ blocks, ms: this.options.clock.monotonic() - beganAt })
      if (this.seen === seen) this.seen = undefined
      return intent
    } catch (error) {
      seen.failures++
      seen.error = { code: codeOf(error), message: describeError(error) }
      throw error
    } finally {
      seen.running = undefined
      seen.step = undefined
    }
  }
}

export interface FinishedRollback {
  /** Undefined if it was cancelled. */
  readonly intent: RollbackIntent | undefined
  /** Removed by this process; undefined if another one did it. */
  readonly blocks: number | undefined
}
