// The statements behind status beside the ledger's: the chain and the processes. Each reads few rows and is cheap.

import { parseRange } from "../postgres/multirange.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import type { ProcessRow } from "./chain-status.js"
import { parseProcessState } from "./process-state.js"

interface Ages {
  readonly head_age: number | null
  readonly followed_age: number | null
  readonly halt_age: number | null
}

/** Undefined until the chain was pinned. */
export async function readChainRow(sql: Queryable) {
  const {
    rows: [row],
  } = await sql.query<Record<string, string | null> & Ages>(
    `select chain_name, chain_id, chain_epoch, start_height, live_from, head_height, finalized_height, follower_name,
       ${ageMs("head_seen_at")} as head_age, ${ageMs("followed_at")} as followed_age,
       intent_id, intent_removed::text as intent_removed, intent_reason, halt_reason,
       halt_height, ${ageMs("halted_at")} as halt_age
     from raw.chain_state`,
  )
  if (!row) return undefined
  const height = (name: string): number | null => (row[name] == null ? null : heightFrom(row[name]))
  return {
    name: row["chain_name"]!,
    chainId: row["chain_id"]!,
    epoch: Number(row["chain_epoch"]),
    start: heightFrom(row["start_height"]!),
    liveFrom: height("live_from"),
    head: height("head_height"),
    headAgeMs: row.head_age,
    finalized: height("finalized_height"),
    follower: row["follower_name"] ?? null,
    followerAgeMs: row.followed_age,
    intent: intentOf(row),
    halt: row["halt_reason"] ?? null,
    haltHeight: height("halt_height"),
    haltAgeMs: row.halt_age,
  }
}

function intentOf(row: Record<string, unknown>) {
  const { intent_id: id, intent_removed: removed, intent_reason: reason } = row as Record<string, string | null>
  return id ? { id, ...parseRange(removed!)!, reason: reason ?? null } : undefined
}

/** Processes that reported within the given time; one that died without reporting drops out. */
export async function readProcesses(sql: Queryable, seenWithinMs: number): Promise<readonly ProcessRow[]> {
  const { rows } = await sql.query<{
    id: string
    host: string
    pid: number
    roles: string[]
    version: string
    http_url: string | null
    up: number
    seen: number
    state: unknown
  }>(
    `select id, host, pid, roles, version, http_url, ${ageMs("started_at")} as up, ${ageMs("seen_at")} as seen, state
     from raw.processes where seen_at > clock_timestamp() - $1::float8 * interval '1 ms' order by started_at, id`,
    [seenWithinMs],
  )
  return rows.map((row) => ({
    id: row.id,
    host: row.host,
    pid: row.pid,
    roles: row.roles,
    version: row.version,
    httpUrl: row.http_url,
    upMs: Math.max(0, row.up),
    seenAgoMs: Math.max(0, row.seen),
    state: parseProcessState(row.state),
  }))
}

/** Whole milliseconds since a column's time, as a number. */
const ageMs = (column: string): string => `round(extract(epoch from clock_timestamp() - ${column}) * 1000)::float8`
