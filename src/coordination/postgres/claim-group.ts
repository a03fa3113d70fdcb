// Claim: one short transaction under the advisory locks of the workers that take part. The locks make it safe; the exclusion
// constraint is the safety net.

import { type BlockRange, formatRange } from "../../domain/block-range.js"
import { IndexerError } from "../../platform/errors.js"
import { parseMultirange } from "../../postgres/multirange.js"
import type { Backend } from "../../postgres/sql-connection.js"
import type { Queryable } from "../../postgres/transaction.js"
import { chooseGroup } from "../choose-group.js"
import { type Choice, stuckAfterAttempts, type UnfinishedLease, type WorkerView } from "../choose-range.js"
import type { GroupClaimRequest, Lease } from "../lease-store.js"
import type { LeaseDeps } from "./coordination-tables.js"
import { insertParts } from "./insert-parts.js"
import { lockClaims } from "./locks.js"

interface ViewRow {
  chain_epoch: string
  workers: { worker_type: string; heights: string; skipped: string }[]
  unfinished: (UnfinishedLease & { worker_type: string })[]
}

export interface ClaimDeps extends LeaseDeps {
  /** Of the connection that will commit: if it is gone, so is the holder. Unknown behind a pooler. */
  readonly backend?: Backend | undefined
}

export async function claimGroup(
  deps: ClaimDeps,
  tx: Queryable,
  request: GroupClaimRequest,
): Promise<readonly Lease[]> {
  const { tables, random } = deps
  const names = request.members.map(({ worker }) => worker)
  await lockClaims(tables, tx, names)
  // One statement, so one snapshot, taken after the locks: with coverage read before leases, a range that a neighbour commits
  // in between would look free.
  const {
    rows: [view],
  } = await tx.query<ViewRow>(
    `select
       (select chain_epoch from ${tables.chainState}) as chain_epoch,
       coalesce((select json_agg(json_build_object(
           'worker_type', worker_type, 'heights', heights::text, 'skipped', skipped::text))
         from ${tables.coverage} where worker_type = any ($1) or worker_type = any ($2)), '[]') as workers,
       coalesce((select json_agg(json_build_object(
           'worker_type', worker_type, 'id', id::text, 'range', json_build_object('from', from_height, 'to', to_height),
           'due', status = 'FAILED' and coalesce(next_attempt_at <= clock_timestamp(), true),
           'stuck', status = 'DEAD' or status = 'FAILED' and to_height = from_height + 1
             and (attempt >= $3::int4 or last_error_code = 'BUG'),
           'dead', status = 'DEAD', 'active', status = 'ACTIVE'))
         from ${tables.leases} where worker_type = any ($1) and status <> 'COMPLETED'), '[]') as unfinished`,
    [names, request.members.flatMap(({ dependencies }) => dependencies), stuckAfterAttempts],
  )
  const views = new Map<string, WorkerView>(
    view!.workers.map(({ worker_type, heights, skipped }) => [
      worker_type,
      {
        heights: parseMultirange(heights),
        skipped: parseMultirange(skipped),
        unfinished: view!.unfinished.filter((lease) => lease.worker_type === worker_type),
      },
    ]),
  )
  for (const name of names) if (!views.has(name)) throw new Error(`the worker ${name} is not registered`)
  const chosen = chooseGroup(views, request).map((each) => ({ ...each, epoch: random.uuid() }))
  // In one statement: a group of ten at the tip would otherwise spend most of its claim on round trips.
  const inserted = await insertLeases(deps, tx, {
    request,
    fresh: chosen.flatMap(({ member, choice, epoch }) =>
      choice.kind === "new" ? [{ worker: member.worker, range: choice.range, epoch }] : [],
    ),
  })
  const leases: Lease[] = []
  for (const { member, choice, epoch } of chosen) {
    const { worker, dependencies } = member
    const { range } = choice
    const row =
      choice.kind === "new" ? inserted.get(epoch) : await takeFailedLease(deps, tx, { request, choice, epoch })
    if (!row) throw new IndexerError("LEASE_LOST", `${worker} ${formatRange(range)} was changed meanwhile`)
    leases.push({
      ...{ id: row.id, epoch, worker, range, attempt: row.attempt, ttlMs: request.ttlMs, dependencies },
      chainEpoch: Number(view!.chain_epoch),
    })
  }
  return leases
}

interface TakenRow {
  id: string
  attempt: number
}

type FailedChoice = Extract<Choice, { kind: "failed" }>

const holding = (backend: Backend | undefined, { holder, ttlMs }: GroupClaimRequest): unknown[] => [
  holder,
  backend?.pid ?? null,
  backend?.startedAt ?? null,
  ttlMs,
]

interface FreshLease {
  readonly worker: string
  readonly range: BlockRange
  readonly epoch: string
}

/** By epoch. */
async function insertLeases(
  { tables, backend }: ClaimDeps,
  tx: Queryable,
  { request, fresh }: { request: GroupClaimRequest; fresh: readonly FreshLease[] },
): Promise<ReadonlyMap<string, TakenRow>> {
  if (fresh.length === 0) return new Map()
  const { rows } = await tx.query<TakenRow & { epoch: string }>(
    `insert into ${tables.leases} (worker_type, from_height, to_height, status, attempt, epoch, leased_by,
       backend_pid, backend_start, lease_ttl_ms, leased_at, lease_expires_at)
     select worker_type, from_height, to_height, 'ACTIVE', 1, epoch, $5, $6, $7::timestamptz, $8::int4,
       clock_timestamp(), clock_timestamp() + $8::int4 * interval '1 ms'
     from unnest($1::text[], $2::int8[], $3::int8[], $4::uuid[]) as fresh (worker_type, from_height, to_height, epoch)
     returning id, attempt, epoch`,
    [
      fresh.map(({ worker }) => worker),
      fresh.map(({ range }) => range.from),
      fresh.map(({ range }) => range.to),
      fresh.map(({ epoch }) => epoch),
      ...holding(backend, request),
    ],
  )
  return new Map(rows.map((row) => [row.epoch, row]))
}

async function takeFailedLease(
  deps: ClaimDeps,
  tx: Queryable,
  { request, choice, epoch }: { request: GroupClaimRequest; choice: FailedChoice; epoch: string },
): Promise<TakenRow | undefined> {
  const { tables, backend } = deps
  const {
    rows: [row],
  } = await tx.query<TakenRow>(
    `update ${tables.leases}
     set status = 'ACTIVE', attempt = attempt + 1, epoch = $2, from_height = $3, to_height = $4, leased_by = $5,
         backend_pid = $6, backend_start = $7::timestamptz, lease_ttl_ms = $8::int4, next_attempt_at = null,
         leased_at = clock_timestamp(), lease_expires_at = clock_timestamp() + $8::int4 * interval '1 ms'
     where id = $1 and status = 'FAILED'
     returning id, attempt`,
    [choice.id, epoch, choice.range.from, choice.range.to, ...holding(backend, request)],
  )
  if (row) await insertParts(deps, tx, { id: choice.id, parts: choice.rest, attempt: row.attempt - 1 })
  return row
}
