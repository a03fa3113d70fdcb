// Queues the contracts that appeared in heights a worker covered since the last time. app.queued_heights says which
// heights that was done for; whatever is covered and not in there is looked at. While many contracts wait to be asked, no
// more are queued: history fills in faster than a node answers, and the heights remember what is left to do.

import type { CoverageLedger } from "../../../../coordination/coverage-ledger.js"
import type { JobQueue } from "../../../../coordination/job-queue.js"
import type { BlockRange } from "../../../../domain/block-range.js"
import type { Database } from "../../../../postgres/database.js"
import { parseMultirange, printRange } from "../../../../postgres/multirange.js"
import type { Queryable } from "../../../../postgres/transaction.js"
import type { Outcome, Question } from "./question.js"

type Subjects = Pick<Question<Outcome>, "queue" | "newSubjectsSql" | "pageEndSql">

const lockTimeoutMs = 1_000
/** Stretches of new coverage looked at in one run: there is one as a rule, and some more while history fills in. */
const stretchesAtOnce = 64

/** While so many are held or due soon, no more are queued: at most this and one run's, whatever the chain has. */
const refillBelow = 10_000
/** Those that are held are due again within this time. */
const soonMs = 300_000
/** With those that wait days for another try, and those that were given up. Answers say what is known of the others. */
const mostKept = 100_000

const newCoverageSql = `select coverage.heights - queued.heights as fresh
  from app.queued_heights as queued join app.coverage using (worker_type) where queued.queue = $1`

/**
 * About `limit` contracts at most, a height as a whole. Costs two rows when there are none. True when more may be queued
 * at once.
 */
export function queueSubjects(
  { database, ledger, jobs }: { database: Database; ledger: Pick<CoverageLedger, "lockChain">; jobs: JobQueue },
  subjects: Subjects,
  { limit }: { readonly limit: number },
): Promise<boolean> {
  const { queue, newSubjectsSql, pageEndSql } = subjects
  return database.transaction(
    async (tx) => {
      const stretches = await lockNewCoverage({ tx, ledger }, queue)
      if (stretches.length === 0 || (await jobs.isFull(tx, queue, { soonMs, most: refillBelow }))) return false
      await jobs.trim(tx, queue, { most: mostKept - limit })
      let room = limit
      for (const { from, to } of stretches.slice(0, stretchesAtOnce)) {
        const { rows } = await tx.query<{ height: string }>(pageEndSql, [from, to, room])
        const end = rows[0] ? Number(rows[0].height) + 1 : to
        room -= await jobs.enqueue(tx, queue, { subjectsSql: newSubjectsSql, params: [from, end] })
        await tx.query(
          "update app.queued_heights set heights = heights + $2::int8range::int8multirange where queue = $1",
          [queue, printRange({ from, to: end })],
        )
        if (rows[0] || room <= 0) return true
      }
      return stretches.length > stretchesAtOnce
    },
    { lockTimeoutMs },
  )
}

/** Heights whose contracts are not queued yet; none while another process is at it. */
async function lockNewCoverage(
  { tx, ledger }: { tx: Queryable; ledger: Pick<CoverageLedger, "lockChain"> },
  queue: string,
): Promise<readonly BlockRange[]> {
  // A look without any lock first: nothing new is the rule.
  const looked = await tx.query<{ fresh: string }>(newCoverageSql, [queue])
  if ((looked.rows[0]?.fresh ?? "{}") === "{}") return []
  // No rollback may take back coverage between the look at it and the look at its contracts.
  await ledger.lockChain(tx, "shared")
  const locked = await tx.query("select 1 from app.queued_heights where queue = $1 for update skip locked", [queue])
  if (locked.rows.length === 0) return []
  // Heights that are no longer covered (a worker rebuilt) will be new once more.
  await tx.query(
    `update app.queued_heights as queued set heights = queued.heights * coverage.heights
       from app.coverage
      where queued.queue = $1 and coverage.worker_type = queued.worker_type and not queued.heights <@ coverage.heights`,
    [queue],
  )
  const { rows } = await tx.query<{ fresh: string }>(newCoverageSql, [queue])
  return parseMultirange(rows[0]?.fresh ?? "{}")
}
