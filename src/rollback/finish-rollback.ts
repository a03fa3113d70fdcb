// Brings an open rollback to its end, whoever opened it and however far it came: app first, then raw, each step void when it is done.

import type { RollbackIntent } from "../coordination/rollback-ledger.js"
import { isIndexerError } from "../platform/errors.js"
import type { Random } from "../platform/random.js"
import type { SqlExecutor } from "../postgres/sql-executor.js"
import type { Queryable } from "../postgres/transaction.js"
import { type AppRollbackDeps, rollbackApp } from "./rollback-app.js"
import { rollbackRaw } from "./rollback-raw.js"

export interface RollbackDeps<Tx extends Queryable> extends AppRollbackDeps<Tx> {
  readonly raw: SqlExecutor<Tx>
  readonly random: Random
}

/** The rollback it finished, if there was one. */
export async function finishRollback<Tx extends Queryable>(
  deps: RollbackDeps<Tx>,
): Promise<RollbackIntent | undefined> {
  const intent = await deps.ledgers.raw.readIntent(deps.raw)
  if (!intent) return undefined
  // In one database raw's commit brings app's to the disk with it. A server that dies in between loses app's step at most, and the intent is open.
  await rollbackApp(deps, intent, { unflushed: deps.raw === deps.app })
  await rollbackRaw(deps, intent)
  return intent
}

/** For a person who waits for it: not even somebody's long transaction sends them away. */
export async function finishRollbackPatiently<Tx extends Queryable>(
  deps: RollbackDeps<Tx>,
  { tries = 20 }: { tries?: number } = {},
): Promise<RollbackIntent | undefined> {
  for (let left = tries - 1; ; left--) {
    try {
      return await finishRollback(deps)
    } catch (error) {
      if (left === 0 || !isIndexerError(error) || error.code !== "DATABASE_CONFLICT") throw error
    }
  }
}
