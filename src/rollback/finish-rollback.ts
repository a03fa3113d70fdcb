// Finishes an open rollback, whichever process opened it: app first, then raw. A step that is done already does
// nothing.

import type { RollbackIntent } from "../coordination/rollback-ledger.js"
import type { ChainFamily } from "../families/chain-family.js"
import { isIndexerError } from "../platform/errors.js"
import type { Random } from "../platform/random.js"
import type { SqlExecutor } from "../postgres/transaction.js"
import { type AppRollbackDeps, rollbackApp } from "./rollback-app.js"
import { rollbackRaw } from "./rollback-raw.js"

export interface RollbackDeps extends AppRollbackDeps {
  readonly raw: SqlExecutor
  readonly random: Random
  readonly family: Pick<ChainFamily, "forgetObserved" | "rawTables">
}

const patientTries = 20

/** Returns the rollback that it finished, if one was open. */
export async function finishRollback(deps: RollbackDeps): Promise<RollbackIntent | undefined> {
  const intent = await deps.ledgers.raw.readIntent(deps.raw)
  if (!intent) return undefined
  // In one database raw's commit flushes app's. A server that crashes in between loses only app's step, and the
  // intent is still open.
  await rollbackApp(deps, intent, { unflushed: deps.raw === deps.app })
  await rollbackRaw(deps, intent)
  return intent
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
