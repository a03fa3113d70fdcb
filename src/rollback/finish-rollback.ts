// Finishes an open rollback, whichever process opened it: app first, then raw. A step that is done already does
// nothing.

import type { RollbackIntent } from "../coordination/rollback-ledger.js"
import { isIndexerError } from "../platform/errors.js"
import { rollbackApp } from "./rollback-app.js"
import type { RollbackDeps } from "./rollback-deps.js"
import { rollbackRaw } from "./rollback-raw.js"
import type { FinishedRollback } from "./rollback-watch.js"

const patientTries = 20

/** Returns the rollback that it finished, if one was open and was not cancelled. */
export async function finishRollback(deps: RollbackDeps): Promise<RollbackIntent | undefined> {
  const intent = await deps.ledgers.raw.readIntent(deps.raw)
  if (!intent) {
    deps.watch?.none()
    return undefined
  }
  return deps.watch ? deps.watch.run(intent, () => carryOut(deps, intent)) : (await carryOut(deps, intent)).intent
}

async function carryOut(given: RollbackDeps, intent: RollbackIntent): Promise<FinishedRollback> {
  // In one database raw's commit flushes app's. A server that crashes in between loses only app's step, and the
  // intent is still open.
  const unflushed = given.raw === given.app
  const deps = { ...given, ...(await given.apart?.(intent)) }
  const removed = await rollbackApp(deps, intent, { unflushed })
  const blocks = await rollbackRaw(deps, intent, removed)
  return { intent: removed ? intent : undefined, blocks }
}

/** For an operator who waits: retries while another transaction holds the locks. */
export async function finishRollbackPatiently(deps: RollbackDeps): Promise<RollbackIntent | undefined> {
  for (let left = patientTries - 1; ; left--) {
    try {
      return await finishRollback(deps)
    } catch (error) {
      if (left === 0 || !isIndexerError(error) || error.code !== "DATABASE_CONFLICT") throw error
    }
  }
}
