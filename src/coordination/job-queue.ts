// The contract of the job queue, for any number of processes. A job is unfinished work on one subject of a named queue. A
// claim gives it a holder, an expiry and an epoch that is never issued twice. Only (id, epoch) renews or settles it, so a late
// holder changes nothing.

import type { Queryable } from "../postgres/transaction.js"

export interface JobToken {
  readonly id: string
  readonly epoch: string
}

export interface Job extends JobToken {
  readonly subject: string
  /** Counted at the claim, so that a holder that dies has used one too. */
  readonly attempts: number
}

/** done: leaves the queue. failed: due again after the wait. released: the same, without the attempt. */
export type JobEnding = "done" | "failed" | "released"

interface Settlement {
  readonly job: JobToken
  readonly ending: JobEnding
  readonly waitMs?: number
}

interface EnqueueOptions {
  /** Returns a column `subject`. May change rows, as `delete … returning` does. */
  readonly subjectsSql: string
  readonly params: readonly unknown[]
}

interface ClaimJobsOptions {
  readonly limit: number
  /** A job that has used as many is given up instead: it stays, and is not due until it is enqueued again. */
  readonly maxAttempts: number
  readonly holder: string
  /** A fresh uuid. */
  readonly epoch: string
  readonly holdMs: number
}

export interface JobQueue {
  /**
   * Makes subjects due now, in the caller's transaction, and returns how many. A waiting job keeps its place. A held job
   * loses its holder, whose result would be outdated.
   */
  enqueue(tx: Queryable, queue: string, options: EnqueueOptions): Promise<number>
  /** Claims jobs that are due or whose claim has expired, longest due first. Locked rows are skipped. */
  claim(sql: Queryable, queue: string, options: ClaimJobsOptions): Promise<readonly Job[]>
  /** Extends claims, and returns the ids of the jobs that are still held. */
  renew(
    sql: Queryable,
    options: { readonly jobs: readonly JobToken[]; readonly holdMs: number },
  ): Promise<ReadonlySet<string>>
  /** Ends claims, and returns the ids of the jobs that were still held. The others do not change. */
  settle(sql: Queryable, settlements: readonly Settlement[]): Promise<ReadonlySet<string>>
  /** Whether so many jobs are held or due soon that no more should be added. */
  isFull(sql: Queryable, queue: string, options: { readonly soonMs: number; readonly most: number }): Promise<boolean>
  /**
   * Deletes what is over a number of jobs, in the caller's transaction: those that were given up, then those that are due
   * last, out of those that were tried. Returns how many.
   */
  trim(tx: Queryable, queue: string, options: { readonly most: number }): Promise<number>
  /** Ends all claims of a queue at no attempt, in the caller's transaction: a claimed job may be about removed blocks. */
  endClaims(tx: Queryable, queue: string): Promise<void>
}
