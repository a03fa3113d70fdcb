// The job queue on Postgres: a row of app.job_queue for each unfinished job.

import type { Job, JobQueue, JobToken } from "../job-queue.js"

/** The most jobs one claim takes: the holder keeps them all in memory. */
const maxClaimed = 1_000

const tokenColumns = (jobs: readonly JobToken[]): [string[], string[]] => [
  jobs.map(({ id }) => id),
  jobs.map(({ epoch }) => epoch),
]

const idsOf = (rows: readonly { readonly id: string }[]): ReadonlySet<string> => new Set(rows.map(({ id }) => id))

export const postgresJobQueue: JobQueue = {
  async enqueue(tx, queue, { subjectsSql, params }) {
    const { rowCount } = await tx.query(
      `with found as (${subjectsSql})
       insert into app.job_queue as job (queue, subject)
       select distinct $${params.length + 1}::text, subject from found order by subject
       on conflict (queue, subject) do update
          set due_at = least(job.due_at, now()), attempts = 0, epoch = null, holder = null, expires_at = null`,
      [...params, queue],
    )
    return rowCount ?? 0
  },

  async claim(sql, queue, { limit, maxAttempts, holder, epoch, holdMs }) {
    // now() and not clock_timestamp(), which is volatile and cannot use an index.
    const { rows } = await sql.query<Job>(
      `with due as materialized (
         select id, attempts from app.job_queue
          where queue = $1 and coalesce(expires_at, due_at) <= now()
          order by coalesce(expires_at, due_at)
          limit $2
          for update skip locked
       ), given_up as (
         update app.job_queue as job set epoch = null, holder = null, expires_at = null, due_at = null
           from due where job.id = due.id and due.attempts >= $6
       )
       update app.job_queue as job
          set epoch = $3, holder = $4, expires_at = now() + $5 * interval '1 millisecond',
              attempts = job.attempts + 1
         from due where job.id = due.id and due.attempts < $6
       returning job.id, job.epoch, job.subject, job.attempts`,
      [queue, Math.min(limit, maxClaimed), epoch, holder, holdMs, maxAttempts],
    )
    return rows
  },

  async renew(sql, { jobs, holdMs }) {
    const { rows } = await sql.query<{ id: string }>(
      `with held as materialized (
         select job.id from app.job_queue as job join unnest($1::int8[], $2::uuid[]) as token (id, epoch)
           using (id, epoch)
            for update of job skip locked
       )
       update app.job_queue as job set expires_at = now() + $3 * interval '1 millisecond'
         from held where job.id = held.id
       returning job.id`,
      [...tokenColumns(jobs), holdMs],
    )
    return idsOf(rows)
  },

  async settle(sql, settlements) {
    if (settlements.length === 0) return new Set()
    // Locked in the order in which enqueue locks them.
    const { rows } = await sql.query<{ id: string }>(
      `with held as materialized (
         select job.id, settled.ending, settled.wait_ms
           from app.job_queue as job
           join unnest($1::int8[], $2::uuid[], $3::text[], $4::float8[]) as settled (id, epoch, ending, wait_ms)
             using (id, epoch)
          order by job.subject
            for update of job
       ), done as (
         delete from app.job_queue as job using held where job.id = held.id and held.ending = 'done'
       ), kept as (
         update app.job_queue as job
            set epoch = null, holder = null, expires_at = null,
                attempts = job.attempts - (held.ending = 'released')::int4,
                due_at = now() + held.wait_ms * interval '1 millisecond'
           from held where job.id = held.id and held.ending <> 'done'
       )
       select id from held`,
      [
        ...tokenColumns(settlements.map(({ job }) => job)),
        settlements.map(({ ending }) => ending),
        settlements.map(({ waitMs }) => waitMs ?? 0),
      ],
    )
    return idsOf(rows)
  },

  async isFull(sql, queue, { soonMs, most }) {
    const { rows } = await sql.query<{ is_full: boolean }>(
      `select count(*) >= $2 as is_full from (
         select from app.job_queue
          where queue = $1 and coalesce(expires_at, due_at) <= now() + $3 * interval '1 millisecond'
          limit $2
       ) as waiting`,
      [queue, most, soonMs],
    )
    return rows[0]!.is_full
  },

  async trim(tx, queue, { most }) {
    // Descending, so that jobs without a date come first.
    const { rowCount } = await tx.query(
      `delete from app.job_queue where id in (
         select id from app.job_queue where queue = $1 and epoch is null and attempts > 0
          order by coalesce(expires_at, due_at) desc
          limit greatest(0, (select count(*) from app.job_queue where queue = $1) - $2)
            for update skip locked
       )`,
      [queue, most],
    )
    return rowCount ?? 0
  },

  async endClaims(tx, queue) {
    await tx.query(
      `update app.job_queue set epoch = null, holder = null, expires_at = null, attempts = attempts - 1
        where queue = $1 and epoch is not null`,
      [queue],
    )
  },
}
