// Claim: one short transaction under the worker's advisory lock. The lock makes it safe, the exclusion constraint is the net.

import type { BlockRange } from "../../domain/block-range.js"
import { union } from "../../domain/range-set.js"
import type { Random } from "../../platform/random.js"
import { parseMultirange } from "../../postgres/multirange.js"
import type { Queryable } from "../../postgres/transaction.js"
import { chooseRange, stuckAfterAttempts } from "../choose-range.js"
import type { ClaimRequest, Lease } from "../lease-store.js"
import { type CoordinationTables, claimLockClass } from "./coordination-tables.js"

interface ViewRow {
  chain_epoch: string
  heights: string
  skipped: string
  unfinished: { id: number; from: number; to: number; due: boolean; stuck: boolean }[]
  gates: { heights: string; skipped: string }[]
}

export async function claimRange(
  { tables, random }: { tables: CoordinationTables; random: Random },
  tx: Queryable,
  request: ClaimRequest,
): Promise<Lease | undefined> {
  await tx.query("select pg_advisory_xact_lock($1, hashtext($2))", [
    claimLockClass,
    `${tables.schema}.${request.workerType}`,
  ])
  // One statement, so one snapshot, begun after the lock was had: coverage read before leases would make a range
  // that a neighbour commits in between look free.
  const {
    rows: [view],
  } = await tx.query<ViewRow>(
    `select
       (select chain_epoch from ${tables.chainState}) as chain_epoch,
       own.heights::text as heights,
       own.skipped::text as skipped,
       coalesce((select json_agg(json_build_object(
           'id', id, 'from', from_height, 'to', to_height,
           'due', status = 'FAILED' and coalesce(next_attempt_at <= clock_timestamp(), true),
           'stuck', status = 'DEAD' or status = 'FAILED' and to_height = from_height + 1 and attempt >= $3::int4))
         from ${tables.leases} where worker_type = $1 and status <> 'COMPLETED'), '[]') as unfinished,
       coalesce((select json_agg(json_build_object('heights', heights::text, 'skipped', skipped::text))
         from ${tables.coverage} where worker_type = any ($2)), '[]') as gates
     from ${tables.coverage} as own
     where own.worker_type = $1`,
    [request.workerType, request.dependencies, stuckAfterAttempts],
  )
  if (!view) throw new Error(`the worker ${request.workerType} is not registered`)
  if (view.gates.length < request.dependencies.length) return undefined
  const choice = chooseRange(
    {
      heights: parseMultirange(view.heights),
      skipped: parseMultirange(view.skipped),
      unfinished: view.unfinished.map(({ id, from, to, due, stuck }) => ({
        id: String(id),
        range: { from, to },
        due,
        stuck,
      })),
      gates: view.gates.map((gate) => union(parseMultirange(gate.heights), parseMultirange(gate.skipped))),
    },
    request,
  )
  if (!choice) return undefined
  const epoch = random.uuid()
  const row =
    choice.kind === "new"
      ? await insertLease(tables, tx, { request, range: choice.range, epoch })
      : await takeFailedLease(tables, tx, { request, choice, epoch, random })
  if (!row) return undefined
  return {
    id: row.id,
    epoch,
    workerType: request.workerType,
    range: choice.range,
    attempt: row.attempt,
    ttlMs: request.ttlMs,
    chainEpoch: Number(view.chain_epoch),
  }
}

interface TakenRow {
  id: string
  attempt: number
}

async function insertLease(
  tables: CoordinationTables,
  tx: Queryable,
  { request, range, epoch }: { request: ClaimRequest; range: BlockRange; epoch: string },
): Promise<TakenRow | undefined> {
  const {
    rows: [row],
  } = await tx.query<TakenRow>(
    `insert into ${tables.leases} (worker_type, from_height, to_height, status, attempt, epoch, leased_by,
       backend_pid, backend_start, lease_ttl_ms, leased_at, lease_expires_at)
     values ($1, $2, $3, 'ACTIVE', 1, $4, $5, $6, $7::timestamptz, $8::int4, clock_timestamp(), clock_timestamp() + $8::int4 * interval '1 ms')
     returning id, attempt`,
    [
      request.workerType,
      range.from,
      range.to,
      epoch,
      request.holder,
      request.backend?.pid ?? null,
      request.backend?.startedAt ?? null,
      request.ttlMs,
    ],
  )
  return row
}

async function takeFailedLease(
  tables: CoordinationTables,
  tx: Queryable,
  {
    request,
    choice,
    epoch,
    random,
  }: {
    request: ClaimRequest
    choice: { id: string; range: BlockRange; rest: readonly BlockRange[] }
    epoch: string
    random: Random
  },
): Promise<TakenRow | undefined> {
  // The parent shrinks before its rest is inserted: the exclusion constraint checks row by row.
  const {
    rows: [row],
  } = await tx.query<TakenRow>(
    `update ${tables.leases}
     set status = 'ACTIVE', attempt = attempt + 1, epoch = $2, from_height = $3, to_height = $4, leased_by = $5,
         backend_pid = $6, backend_start = $7::timestamptz, lease_ttl_ms = $8::int4, next_attempt_at = null,
         leased_at = clock_timestamp(), lease_expires_at = clock_timestamp() + $8::int4 * interval '1 ms'
     where id = $1 and status = 'FAILED'
     returning id, attempt`,
    [
      choice.id,
      epoch,
      choice.range.from,
      choice.range.to,
      request.holder,
      request.backend?.pid ?? null,
      request.backend?.startedAt ?? null,
      request.ttlMs,
    ],
  )
  if (!row) return undefined
  for (const rest of choice.rest) {
    await tx.query(
      `insert into ${tables.leases} (worker_type, from_height, to_height, status, attempt, epoch, lease_ttl_ms,
         next_attempt_at, last_error, last_error_code, last_error_at)
       select worker_type, $2::int8, $3::int8, 'FAILED', attempt - 1, $4::uuid, lease_ttl_ms, clock_timestamp(), last_error, last_error_code,
         last_error_at
       from ${tables.leases} where id = $1`,
      [choice.id, rest.from, rest.to, random.uuid()],
    )
  }
  return row
}
