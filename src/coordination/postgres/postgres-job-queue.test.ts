import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { createTestDatabase, type TestDatabase } from "../../../test/support/test-database.js"
import { systemRandom } from "../../platform/random.js"
import { Database } from "../../postgres/database.js"
import type { Job, JobEnding } from "../job-queue.js"
import { postgresJobQueue as queue } from "./postgres-job-queue.js"

const name = "test"
const other = "other"
const hour = 3_600_000
const maxAttempts = 3

let test_: TestDatabase
/** One for each process. */
let databases: Database[]
let database: Database

beforeEach(async () => {
  test_ = await createTestDatabase()
  databases = ["a", "b"].map((name) => new Database({ url: test_.url, applicationName: name }))
  database = databases[0]!
})
afterEach(async () => {
  for (const one of databases) await one.end()
  await test_.drop()
})

const enqueue = (subjects: readonly string[], to = name) =>
  queue.enqueue(database, to, { subjectsSql: "select unnest($1::text[]) as subject", params: [subjects] })

const claim = (options: { limit?: number; holdMs?: number; from?: Database; of?: string } = {}) =>
  queue.claim(options.from ?? database, options.of ?? name, {
    limit: options.limit ?? 10,
    maxAttempts,
    holdMs: options.holdMs ?? hour,
    holder: "holder",
    epoch: systemRandom.uuid(),
  })

const settle = (jobs: readonly Job[], ending: JobEnding, waitMs = 0) =>
  queue.settle(
    database,
    jobs.map((job) => ({ job, ending, waitMs })),
  )

const subjects = (jobs: readonly Job[]) => jobs.map(({ subject }) => subject).sort()
const ids = (jobs: readonly Job[]) => new Set(jobs.map(({ id }) => id))
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `job ${i}`)
const rows = async () =>
  (
    await database.query(
      `select subject, attempts, holder, round(extract(epoch from due_at - now()) / 60)::int4 as due_in_minutes
         from app.job_queue order by subject`,
    )
  ).rows

describe("a claim", () => {
  test("gives no job to two holders, however many claim at once", async () => {
    await enqueue(numbered(100))
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, i) => claim({ limit: 7, from: databases[i % 2]! })),
    )
    const rest = await claim({ limit: 100 })
    expect(subjects([...claims.flat(), ...rest])).toEqual(numbered(100).sort())
    expect(await claim()).toEqual([])
  })

  test("is a bounded batch of what has been due longest", async () => {
    await enqueue(numbered(1_100))
    // The index has this order; the promise does not rest on the plan.
    await database.query("drop index app.job_queue_claimable")
    await database.query(
      "update app.job_queue set due_at = now() - id * interval '1 minute' where subject in ('job 7', 'job 700')",
    )
    await database.query("update app.job_queue set due_at = now() + interval '1 hour' where subject = 'job 3'")
    expect(subjects(await claim({ limit: 2 }))).toEqual(["job 7", "job 700"])
    expect(await claim({ limit: 100_000 })).toHaveLength(1_000)
    expect(await claim({ limit: 100_000 })).toHaveLength(97)
  })

  test("passes over rows that are locked, and does not wait for them", async () => {
    await enqueue(["locked", "free"])
    await database.transaction(async (tx) => {
      await tx.query("select 1 from app.job_queue where subject = 'locked' for update")
      expect(subjects(await claim({ from: databases[1]! }))).toEqual(["free"])
    })
  })

  test("sees the jobs of its own queue only", async () => {
    await enqueue(["same"])
    expect(await claim({ of: other })).toEqual([])
    await enqueue(["same"], other)
    expect(subjects(await claim({ of: other }))).toEqual(["same"])
    expect(subjects(await claim())).toEqual(["same"])
  })
})

describe("a holder", () => {
  test("that died is replaced when its claim has expired, and that cost an attempt", async () => {
    await enqueue(["job"])
    const [first] = await claim({ holdMs: 0 })
    const [second] = await claim()
    expect(second).toMatchObject({ id: first!.id, attempts: 2 })
    expect(second!.epoch).not.toBe(first!.epoch)
    expect(await claim()).toEqual([])
  })

  test.each(["done", "failed", "released"] as const)(
    "that comes late changes nothing by '%s', and is told so",
    async (ending) => {
      await enqueue(["late", "own"])
      const late = await claim({ limit: 1, holdMs: 0 })
      const own = await claim()
      const before = await rows()
      expect(await settle(late, ending)).toEqual(new Set())
      expect(await queue.renew(database, { jobs: late, holdMs: hour })).toEqual(new Set())
      expect(await rows()).toEqual(before)
      expect(await settle(own, "done")).toEqual(ids(own))
      expect(await rows()).toEqual([])
    },
  )

  test("that renews keeps its jobs", async () => {
    await enqueue(["kept", "lost"])
    const jobs = await claim({ holdMs: 0 })
    const kept = jobs.filter(({ subject }) => subject === "kept")
    expect(await queue.renew(database, { jobs: kept, holdMs: hour })).toEqual(ids(kept))
    expect(subjects(await claim())).toEqual(["lost"])
    expect(await settle(jobs, "done")).toEqual(ids(kept))
  })
})

describe("a job", () => {
  test.each<[JobEnding, unknown]>([
    ["done", []],
    ["failed", [{ subject: "job", attempts: 1, holder: null, due_in_minutes: 60 }]],
    ["released", [{ subject: "job", attempts: 0, holder: null, due_in_minutes: 60 }]],
  ])("that ends as '%s' is free, and due when it should be", async (ending, left) => {
    await enqueue(["job"])
    await settle(await claim(), ending, hour)
    expect(await rows()).toEqual(left)
    expect(await claim()).toEqual([])
    // Whatever became of it, it can be asked for once more.
    await enqueue(["job"])
    expect(await claim()).toMatchObject([{ subject: "job", attempts: 1 }])
  })

  test("is given up when its attempts are used, by failures or by holders that died, until it is enqueued again", async () => {
    await enqueue(["fails", "kills"])
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const jobs = await claim({ holdMs: 0 })
      expect(jobs).toMatchObject([{ attempts: attempt }, { attempts: attempt }])
      await settle(
        jobs.filter(({ subject }) => subject === "fails"),
        "failed",
      )
    }
    const held = { holder: null, attempts: maxAttempts, due_in_minutes: null }
    for (let again = 0; again < 2; again++) expect(await claim()).toEqual([])
    expect(await rows()).toEqual([
      { subject: "fails", ...held },
      { subject: "kills", ...held },
    ])
    await enqueue(["kills"])
    expect(await claim()).toMatchObject([{ subject: "kills", attempts: 1 }])
  })

  test("that is enqueued again while it is held loses its holder", async () => {
    await enqueue(["job"])
    const old = await claim()
    await enqueue(["job", "job"])
    expect(await settle(old, "done")).toEqual(new Set())
    expect(await claim()).toMatchObject([{ id: old[0]!.id, attempts: 1 }])
  })

  test("that is enqueued again while it waits keeps its place", async () => {
    await enqueue(["first"])
    await enqueue(["second"])
    await enqueue(["first"])
    expect(subjects(await claim({ limit: 1 }))).toEqual(["first"])
  })
})

test("ending all claims of a queue gives the attempts back and leaves other queues alone", async () => {
  await enqueue(["held", "waits"])
  await enqueue(["held"], other)
  const held = await claim({ limit: 1 })
  const others = await claim({ of: other })
  await queue.endClaims(database, name)
  expect(await settle(held, "done")).toEqual(new Set())
  expect(await settle(others, "done")).toEqual(ids(others))
  expect(await rows()).toMatchObject([{ attempts: 0 }, { attempts: 0 }])
})

test("a queue is full by what is held or due soon, not by what waits for long or was given up", async () => {
  await enqueue(["due", "held", "soon", "late", "given up"])
  await enqueue(["due"], other)
  const minutes = (subject: string, after: string | null) =>
    database.query("update app.job_queue set due_at = now() + $2::interval where subject = $1", [subject, after])
  await minutes("soon", "4 minutes")
  await minutes("late", "6 minutes")
  await minutes("given up", null)
  await claim({ limit: 1, holdMs: 60_000 })
  const isFull = (most: number) => queue.isFull(database, name, { soonMs: 300_000, most })
  expect([await isFull(3), await isFull(4)]).toEqual([true, false])
})

test("what is over a number of jobs goes: given up ones, then those due last; never new ones nor held ones", async () => {
  await enqueue(["new", "held", "a day", "an hour", "given up"])
  await enqueue(["another's"], other)
  await database.query("update app.job_queue set attempts = 2 where subject <> 'new'")
  for (const [subject, after] of [["a day", "1 day"], ["an hour", "1 hour"], ["given up", null]] as const) // biome-ignore format: one line
    await database.query("update app.job_queue set due_at = now() + $2::interval where subject = $1", [subject, after])
  await database.query(
    "update app.job_queue set epoch = gen_random_uuid(), holder = 'other', expires_at = now() where subject = 'held'",
  )
  const left = async (most: number) => {
    await queue.trim(database, name, { most })
    const { rows } = await database.query<{ subject: string }>("select subject from app.job_queue order by subject")
    return rows.map(({ subject }) => subject)
  }
  expect(await left(5)).toHaveLength(6)
  expect(await left(4)).toEqual(["a day", "an hour", "another's", "held", "new"])
  expect(await left(3)).toEqual(["an hour", "another's", "held", "new"])
  expect(await left(0)).toEqual(["another's", "held", "new"])
})
