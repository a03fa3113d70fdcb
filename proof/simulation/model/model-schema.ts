// The tables of both databases that decide anything, with the columns the code asks for. What is only shown to people is not here.

import type { ModelTable, TableShape } from "./model-table.js"
import type { SqlType } from "./sql-syntax.js"

const columns = (text: string): Record<string, SqlType> =>
  Object.fromEntries(
    text
      .trim()
      .split(/\s*,\s*/)
      .map((one) => one.split(/\s+/) as [string, SqlType]),
  )

const withId = (table: ModelTable): { id: number } => ({ id: table.nextId++ })
const one = (): string => "one"

const leases: Omit<TableShape, "name"> = {
  columns:
    columns(`id int8, worker_type text, from_height int8, to_height int8, status text, attempt int4, epoch uuid, leased_by text,
    backend_pid int4, backend_start timestamptz, lease_ttl_ms int4, leased_at timestamptz, lease_expires_at timestamptz,
    next_attempt_at timestamptz, last_error text, last_error_code text, last_error_at timestamptz, completed_at timestamptz`),
  defaults: (table) => ({ ...withId(table), attempt: 0 }),
  keyColumn: "id",
  keyOf: (values) => values["id"] as number,
  exclusive: true,
}

const coverage: Omit<TableShape, "name"> = {
  columns: columns("worker_type text, heights int8multirange, skipped int8multirange, updated_at timestamptz"),
  defaults: () => ({ heights: [], skipped: [] }),
  keyColumn: "worker_type",
  keyOf: (values) => values["worker_type"] as string,
}

const auditLog: Omit<TableShape, "name"> = {
  columns: columns("id int8, actor text, action text, details json"),
  defaults: withId,
  keyOf: (values) => values["id"] as number,
}

const rollbackColumns =
  "id uuid, epoch int8, removed int8range, ancestor_hash bytea, reason text, highest_height int8, opened_at timestamptz"

const coordinationShapes = (schema: "raw" | "app"): TableShape[] => [
  { name: `${schema}.worker_leases`, ...leases },
  { name: `${schema}.coverage`, ...coverage },
  { name: `${schema}.audit_log`, ...auditLog },
  {
    name: `${schema}.rollbacks`,
    columns: columns(rollbackColumns),
    keyOf: (values) => values["id"] as string,
  },
]

export const rawShapes: readonly TableShape[] = [
  ...coordinationShapes("raw"),
  {
    name: "raw.chain_state",
    columns:
      columns(`chain_name text, chain_id text, genesis_hash bytea, start_height int8, live_from int8, head_height int8,
      head_hash bytea, head_seen_at timestamptz, followed_by text, follower_name text, followed_at timestamptz, finalized_height int8, chain_epoch int8,
      intent_id uuid, intent_epoch int8, intent_removed int8range, intent_ancestor_hash bytea, intent_reason text, intent_opened_at timestamptz,
      halted_at timestamptz, halt_reason text, halt_height int8, compared_server timestamptz`),
    keyOf: one,
  },
  {
    name: "raw.blocks",
    columns: columns("height int8, hash bytea, parent_hash bytea, block json"),
    keyColumn: "height",
    keyOf: (values) => values["height"] as number,
  },
  // A block's transactions and events stand in its own row; these are here so that a rollback finds them empty.
  ...[
    ["raw.transactions", "block_height int8, id bytea"],
    ["raw.events", "block_height int8"],
    ["raw.tx_lookup", "id bytea, block_height int8"],
    ["raw.block_lookup", "id bytea, height int8"],
  ].map(([name, of]): TableShape => ({ name: name!, columns: columns(of!), keyOf: one })),
]

export const appShapes: readonly TableShape[] = [
  ...coordinationShapes("app"),
  {
    name: "app.chain_state",
    columns: columns("chain_name text, chain_id text, genesis_hash bytea, start_height int8, chain_epoch int8"),
    keyOf: one,
  },
  {
    name: "app.workers",
    columns: columns("name text, definition json, paused bool, concurrency int4"),
    keyOf: (values) => values["name"] as string,
  },
  {
    name: "app.outbox",
    columns: columns("id uuid, kind text, epoch int8, payload json"),
    keyOf: (values) => values["id"] as string,
  },
]

/** All event rows of a block stand in one row of the model. */
export const eventShape = (table: string): TableShape => ({
  name: `app.${table}`,
  columns: columns("block_height int8, rows json"),
  keyOf: (values) => values["block_height"] as number,
})

export const stateShape = (table: string): TableShape => ({
  name: `app.${table}`,
  columns: columns("key text, state json"),
  keyOf: (values) => values["key"] as string,
})
