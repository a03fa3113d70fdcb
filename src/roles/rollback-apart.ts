// Connections of its own for a rollback that would keep those of the services for long: status must be readable and the reaper
// run meanwhile. They are within the limit of the process, borrowed from the lanes of history.

import { chainLock } from "../coordination/postgres/locks.js"
import type { RollbackIntent } from "../coordination/rollback-ledger.js"
import { IndexerError } from "../platform/errors.js"
import type { Connection, ConnectionOptions } from "../postgres/connection.js"
import type { Queryable, SqlExecutor } from "../postgres/transaction.js"
import type { RollbackStores } from "../rollback/rollback-deps.js"
import type { OpenChain } from "./open-chain.js"

/** Transactions and events: a few seconds of undoing. */
const largeRows = 10_000

export function rollbackApart(
  { raw, app, databases, settings, name }: Pick<OpenChain, "raw" | "app" | "databases" | "settings" | "name">,
  connect: (options: ConnectionOptions) => Promise<Connection>,
): (intent: RollbackIntent) => Promise<RollbackStores | undefined> {
  const options = { applicationName: `tidemark ${name} rollback`, answerTimeoutMs: settings.dbTimeoutMs }
  return async (intent) => {
    if (!(await isLarge(raw, intent))) return undefined
    // Otherwise the lanes of every process would pause for it.
    if (await isLocked(app)) {
      throw new IndexerError("DATABASE_CONFLICT", "the chain is locked: another process carries the rollback out")
    }
    return {
      raw: overConnections(raw, () => connect({ ...options, url: databases.rawUrl })),
      app: overConnections(app, () => connect({ ...options, url: databases.appUrl })),
    }
  }
}

/** A connection for each transaction. */
const overConnections = (pool: Queryable, connect: () => Promise<Connection>): SqlExecutor => ({
  query: (sql, params, options) => pool.query(sql, params, options),
  transaction: async (work, options) => {
    const connection = await connect()
    try {
      return await connection.transaction(work, options)
    } finally {
      await connection.end()
    }
  },
})

async function isLarge(raw: Queryable, { from, to }: RollbackIntent): Promise<boolean> {
  const { rows } = await raw.query<{ large: boolean }>(
    `select coalesce(count(*) + sum(transaction_count + event_count), 0) > $3::int8 as large
     from (select transaction_count, event_count from raw.blocks where height >= $1 and height < $2
       limit $3::int8 + 1) as removed`,
    [from, to, largeRows],
  )
  return rows[0]!.large
}

async function isLocked(app: Queryable): Promise<boolean> {
  const { rows } = await app.query(
    `select 1 from pg_locks
     where locktype = 'advisory' and classid = $1::int8 and objid = $2::int8 and mode = 'ExclusiveLock' and granted
       and database = (select oid from pg_database where datname = current_database())`,
    [...chainLock],
  )
  return rows.length > 0
}
