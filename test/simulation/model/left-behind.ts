// What operations leave behind, with all that decides anything later: asked of Postgres and of the model with the same statements.

import type { Side } from "./sides.js"

const rolledBack = (schema: Side["schema"]): string =>
  `select id, epoch, removed::text as removed, ancestor_hash${schema === "raw" ? ", highest_height" : ""} from ${schema}.rollbacks order by id`

/** Without the moments, and the numbers of rows that only their own table knows. */
const asked: Readonly<Record<Side["schema"], Readonly<Record<string, string>>>> = {
  raw: {
    chainState: `select chain_name, start_height, live_from, head_height, head_hash, head_seen_at is null as unseen, followed_by,
      finalized_height, chain_epoch, intent_id, intent_epoch, intent_removed::text as intent_removed, intent_ancestor_hash,
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

export async function leftBehind({ schema, sql, leases }: Side): Promise<unknown> {
  const { coverage, leases: rows } = await leases.snapshot()
  const tables: Record<string, unknown[]> = {}
  for (const [name, text] of Object.entries(asked[schema])) {
    const result = await sql.query(text)
    tables[name] = result.rows.map((row) => ({ ...row }))
  }
  return {
    ...tables,
    coverage: [...coverage].sort((a, b) => (a.workerType < b.workerType ? -1 : 1)),
    // Without the epoch: a reaper takes rows in whatever order the server has them, and which gets which new token is left open.
    leases: rows
      .map(({ id: _, epoch: __, leasedForMs: ___, expiresInMs, nextAttemptInMs, ...row }) => ({
        ...row,
        expires: expiresInMs === null ? null : expiresInMs > 0,
        due: nextAttemptInMs === null ? null : nextAttemptInMs <= 0,
      }))
      .sort((a, b) => a.range.from - b.range.from || (a.workerType < b.workerType ? -1 : 1)),
  }
}
