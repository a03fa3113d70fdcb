// What a person may set of a worker: pause, and how many ranges at once. Every running process reads both several
// times a second; ranges in progress finish.

import { noSuchWorker } from "./not-found.js"
import type { OperatedChain } from "./operated-chain.js"

export type WorkerSteering =
  | { readonly action: "pause"; readonly reason: string | null }
  | { readonly action: "resume" }
  /** Null removes the limit. */
  | { readonly action: "concurrency"; readonly concurrency: number | null }

export interface SteerWorkerOptions {
  readonly actor: string
  readonly worker: string
  readonly to: WorkerSteering
}

/** Throws NOT_FOUND where there is no such worker. */
export async function steerWorker(chain: OperatedChain, { actor, worker, to }: SteerWorkerOptions): Promise<void> {
  const { action, ...set } = to
  const isDone = await chain.app.transaction(async (tx) => {
    const [sql, params] = statementOf(to)
    const { rowCount } = await tx.query(
      `update app.workers set ${sql}, updated_at = clock_timestamp() where name = $1`,
      [worker, ...params],
    )
    if (rowCount !== 1) return false
    await chain.ledgers.app.writeAudit(tx, {
      actor,
      action,
      details: { worker_type: worker, ...set },
    })
    return true
  })
  if (!isDone) throw await noSuchWorker(chain, worker)
}

function statementOf(to: WorkerSteering): [sql: string, params: unknown[]] {
  switch (to.action) {
    case "pause":
      return ["paused = true, paused_reason = $2", [to.reason]]
    case "resume":
      return ["paused = false, paused_reason = null", []]
    case "concurrency":
      return ["concurrency = $2", [to.concurrency]]
  }
}
