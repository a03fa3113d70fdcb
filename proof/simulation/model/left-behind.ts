// What operations leave behind, with all that decides anything later: asked of Postgres and of the model with the same statements, but for
// the rows of workers, which the model keeps otherwise.

import { eventTableNames, type Side, stateTableNames } from "./sides.js"

const rolledBack = (schema: Side["schema"]): string =>
  `select id, epoch, removed::text as removed, ancestor_hash, reason${schema === "raw" ? ", highest_height" : ""} from ${schema}.rollbacks order by id`

/** Without the moments, and the numbers of rows that only their own table knows. */
const asked: Readonly<Record<Side["schema"], Readonly<Record<string, string>>>> = {
  raw: {
    chainState: `select chain_name, start_height, live_from, head_height, head_hash, head_seen_at is null as unseen, followed_by, follower_name,
      finalized_height, chain_epoch, intent_id, intent_epoch, intent_removed::text as intent_removed, intent_ancestor_hash, intent_reason,
      halted_at is null as runs, halt_reason, halt_height, compared_server is null as uncompared from raw.chain_state`,
    rollbacks: rolledBack("raw"),
    auditLog: "select actor, action, details from raw.audit_log order by id",
    blocks: "select height, hash, parent_hash from raw.blocks order by height",
  },
  app: {
    chainState: "select chain_name, start_height, chain_epoch from app.chain_state",
    rollbacks: rolledBack("app"),
    auditLog: "select actor, action, details from app.audit_log order by id",
    outbox: "select id, kind, epoch, payload from app.outbox order by id",
  },
}

/** Above whatever operations write. */
const highest = 40

/** Beside what is asked for by statements. */
export interface Left {
  readonly [name: string]: unknown
  readonly events: Readonly<Record<string, unknown>>
  readonly states: Readonly<Record<string, readonly unknown[]>>
}

/** By table: rows of events as the product reads them, and rows of states. */
async function derived({ schema, sql, store, readStates }: Side): Promise<Left> {
  const events: Record<string, unknown> = {}
  const states: Record<string, readonly unknown[]> = {}
  if (schema === "raw") return { events, states }
  for (const table of eventTableNames)
    events[table] = [...(await store.readRows(sql, { table, range: { from: 0, to: highest } }))]
  for (const table of stateTableNames) states[table] = await readStates(table)
  return { events, states }
}

export async function leftBehind(side: Side): Promise<Left> {
  const { schema, sql, ledgers } = side
  const { coverage, leases: rows } = await ledgers[schema].snapshot(sql)
  const tables: Record<string, unknown[]> = {}
  for (const [name, text] of Object.entries(asked[schema])) {
    const result = await sql.query(text)
    tables[name] = result.rows.map((row) => ({ ...row }))
  }
  return {
    ...tables,
    ...(await derived(side)),
    coverage: coverage.map(({ movedAgoMs: _, ...row }) => row).sort((a, b) => (a.worker < b.worker ? -1 : 1)),
    // Without the epoch: a reaper takes rows in whatever order the server has them, and which gets which new token is left open.
    leases: rows
      .map(({ id: _, epoch: __, leasedForMs: ___, lastErrorAgoMs: ____, expiresInMs, nextAttemptInMs, ...row }) => ({
        ...row,
        expires: expiresInMs === null ? null : expiresInMs > 0,
        due: nextAttemptInMs === null ? null : nextAttemptInMs <= 0,
      }))
      .sort((a, b) => a.range.from - b.range.from || (a.worker < b.worker ? -1 : 1)),
  }
}
