// A fenced queue of jobs in Postgres, for any number of processes. A row is unfinished work on one subject. A claim gives it a
// holder, an expiry and an epoch that is never issued twice. Only (id, epoch) renews or settles it, so a late holder changes
// nothing.

import type { Queryable } from "../../postgres/transaction.js"

export interface JobQueue {
  /** Quoted. Its columns are those of app.job_queue. */
  readonly table: string
  /** Several queues share a table; no statement reads another's rows. */
  readonly name: string
}

export interface JobToken {
  readonly id: string
  readonly epoch: string
}

export interface Job extends JobToken {
  readonly subject: string
  /** Counted at the claim, so that a holder that dies has used one too. */
  readonly attempts: number
}

/**
 * done: leaves the queue. failed: due again after the wait. released: the same, without the attempt. given-up: stays, and is
 * not due until it is enqueued again.
 */
export type JobEnding = "done" | "failed" | "released" | "given-up"

export interface Settlement {
  readonly job: JobToken
  readonly ending: JobEnding
  readonly waitMs?: number
}

export interface EnqueueOptions {
  /** Returns a column `subject`. May change rows, as `delete … returning` does. */
  readonly subjectsSql: string
  readonly params: readonly unknown[]
}

export interface ClaimOptions {
  readonly limit: number
  readonly holder: string
  /** A fresh uuid. */
  readonly epoch: string
  readonly holdMs: number
}

/** The most jobs one claim takes: the holder keeps them all in memory. */
const maxClaimed = 1_000

/**
 * Makes subjects due now, in the caller's transaction, and returns how many. A waiting job keeps its place. A held job loses
 * its holder, whose result would be outdated.
 */
export async function enqueueJobs(
  { table, name }: JobQueue,
  tx: Queryable,
  { subjectsSql, params }: EnqueueOptions,
): Promise<number> {
  const { rowCount } = await tx.query(
    `with found as (${subjectsSql})
     insert into ${table} as job (queue, subject)
     select distinct $${params.length + 1}::text, subject from found order by subject
     on conflict (queue, subject) do update
        set due_at = least(job.due_at, now()), attempts = 0, epoch = null, holder = null, expires_at = null`,
    [...params, name],
  )
  return rowCount ?? 0
}

/** Claims jobs that are due or whose claim has expired, longest due first. Locked rows are skipped. */
export async function claimJobs(
  { table, name }: JobQueue,
  sql: Queryable,
  { limit, holder, epoch, holdMs }: ClaimOptions,
): Promise<readonly Job[]> {
  // now() and not clock_timestamp(), which is volatile and cannot use an index.
  const { rows } = await sql.query<Job>(
    `with due as materialized (
       select id from ${table}
        where queue = $1 and coalesce(expires_at, due_at) <= now()
        order by coalesce(expires_at, due_at)
        limit $2
        for update skip locked
     )
     update ${table} as job
        set epoch = $3, holder = $4, expires_at = now() + $5 * interval '1 millisecond',
            attempts = job.attempts + 1
       from due where job.id = due.id
     returning job.id, job.epoch, job.subject, job.attempts`,
    [name, Math.min(limit, maxClaimed), epoch, holder, holdMs],
  )
  return rows
}

/** Extends claims, and returns the ids of the jobs that are still held. */
export async function renewJobs(
  { table }: JobQueue,
  sql: Queryable,
  { jobs, holdMs }: { readonly jobs: readonly JobToken[]; readonly holdMs: number },
): Promise<ReadonlySet<string>> {
  const { rows } = await sql.query<{ id: string }>(
    `with held as materialized (
       select job.id from ${table} as job join unnest($1::int8[], $2::uuid[]) as token (id, epoch) using (id, epoch)
          for update of job skip locked
     )
     update ${table} as job set expires_at = now() + $3 * interval '1 millisecond'
       from held where job.id = held.id
     returning job.id`,
    [...tokenColumns(jobs), holdMs],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Ends claims, and returns the ids of the jobs that were still held. The others do not change. */
export async function settleJobs(
  { table }: JobQueue,
  sql: Queryable,
  settlements: readonly Settlement[],
): Promise<ReadonlySet<string>> {
  if (settlements.length === 0) return new Set()
  // Locked in the order in which enqueueJobs locks them.
  const { rows } = await sql.query<{ id: string }>(
    `with held as materialized (
       select job.id, settled.ending, settled.wait_ms
         from ${table} as job
         join unnest($1::int8[], $2::uuid[], $3::text[], $4::float8[]) as settled (id, epoch, ending, wait_ms)
           using (id, epoch)
        order by job.subject
          for update of job
     ), done as (
       delete from ${table} as job using held where job.id = held.id and held.ending = 'done'
     ), kept as (
       update ${table} as job
          set epoch = null, holder = null, expires_at = null,
              attempts = job.attempts - (held.ending = 'released')::int4,
              due_at = case when held.ending <> 'given-up' then now() + held.wait_ms * interval '1 millisecond' end
         from held where job.id = held.id and held.ending <> 'done'
     )
     select id from held`,
    [
      ...tokenColumns(settlements.map(({ job }) => job)),
      settlements.map(({ ending }) => ending),
      settlements.map(({ waitMs }) => waitMs ?? 0),
    ],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Ends all claims of a queue at no attempt, in the caller's transaction: a claimed job may be about removed blocks. */
export async function endClaims({ table, name }: JobQueue, tx: Queryable): Promise<void> {
  await tx.query(
    `update ${table} set epoch = null, holder = null, expires_at = null, attempts = attempts - 1
      where queue = $1 and epoch is not null`,
    [name],
  )
}

const tokenColumns = (jobs: readonly JobToken[]): [string[], string[]] => [
  jobs.map(({ id }) => id),
  jobs.map(({ epoch }) => epoch),
]
