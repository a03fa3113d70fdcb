// Rollbacks, newest first, with the open one: what was removed, how long it took, why, who asked for it, and whether app has
// followed.

import { Type } from "typebox"
import { scrubText } from "../platform/scrub.js"
import type { OpsList } from "./ops-list.js"
import type { ServedChain } from "./served-chain.js"
import type { KeyedRow } from "./two-store-page.js"
import { orNull, wholeOrNull } from "./value-schemas.js"

const iso = (column: string): string => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

// The open one is in the chain's state until it is done.
const rollbacksSql = `with all_rollbacks as (
    select id, epoch, removed, ancestor_hash, reason, highest_height, opened_at, created_at, false as open from raw.rollbacks
    union all
    select intent_id, intent_epoch, intent_removed, intent_ancestor_hash, intent_reason, null, intent_opened_at, null, true
    from raw.chain_state where intent_id is not null
  )
  select id::text, epoch::float8 as epoch, case when open then 'open' when isempty(removed) then 'cancelled'
      else 'done' end as state,
    lower(removed)::text as removed_from, upper(removed)::text as removed_to,
    '0x' || encode(ancestor_hash, 'hex') as ancestor_hash, reason, highest_height::text as highest_height,
    ${iso("opened_at")} as opened_at, ${iso("created_at")} as created_at,
    round(extract(epoch from coalesce(created_at, clock_timestamp()) - opened_at) * 1000)::float8 as took_ms
  from all_rollbacks where $1::int8 is null or (epoch, id) < ($1, $2::uuid)
  order by epoch desc, id desc limit $3`

interface RollbackLine extends Record<string, unknown> {
  readonly id: string
  readonly epoch: number
  readonly reason: string | null
}

export const opsRollbacks: OpsList = {
  path: "/rollbacks",
  summary: "Rollbacks, newest first, with the open one",
  query: {},
  row: {
    id: Type.String(),
    epoch: Type.Integer(),
    state: Type.Enum(["open", "done", "cancelled"]),
    removed_from: orNull("string"),
    removed_to: orNull("string"),
    ancestor_hash: orNull("string"),
    reason: orNull("string"),
    highest_height: orNull("string"),
    app_done: Type.Boolean(),
    opened_at: orNull("string"),
    created_at: orNull("string"),
    took_ms: wholeOrNull,
    actor: orNull("string"),
  },
  read: async (chain, { limit, after: [epoch, id] = [] }) => {
    const { rows } = await chain.read("raw", (tx) =>
      tx.query<RollbackLine>(rollbacksSql, [epoch ?? null, id ?? null, limit + 1]),
    )
    const followed = await followedBy(chain, rows)
    const actors = await askedBy(chain, rows)
    return rows.map(
      (row): KeyedRow => ({
        key: [row.epoch, row.id],
        row: {
          ...{ ...row, reason: row.reason === null ? null : scrubText(row.reason) },
          ...{ app_done: followed.has(row.id), actor: actors.get(row.id) ?? null },
        },
      }),
    )
  },
}

async function followedBy(chain: ServedChain, rows: readonly RollbackLine[]): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set()
  const found = await chain.read("app", (tx) =>
    tx.query<{ id: string }>("select id::text from app.rollbacks where id = any($1::uuid[])", [
      rows.map(({ id }) => id),
    ]),
  )
  return new Set(found.rows.map(({ id }) => id))
}

/** Those that a person asked for are in the audit log of raw, committed with the intent. */
async function askedBy(chain: ServedChain, rows: readonly RollbackLine[]): Promise<ReadonlyMap<string, string>> {
  if (rows.length === 0) return new Map()
  const found = await chain.read("raw", (tx) =>
    tx.query<{ id: string; actor: string }>(
      "select details ->> 'id' as id, actor from raw.audit_log where details ->> 'id' = any($1)",
      [rows.map(({ id }) => id)],
    ),
  )
  return new Map(found.rows.map(({ id, actor }) => [id, actor]))
}
