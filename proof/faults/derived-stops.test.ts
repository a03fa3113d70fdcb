import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type RunningChainServer, startChainServer } from "../../test/support/chain-server.js"
import { type PrivatePostgres, startPrivatePostgres } from "../../test/support/private-postgres.js"
import { patienceMs, waitUntil } from "../../test/support/wait-until.js"
import { formatReport } from "../checker/format-report.js"
import { runWithPostgresAway } from "./postgres-away.js"
import { Stage } from "./stage.js"
import { holdAt, stopInTransaction, type TransactionMoment } from "./stopped-process.js"

const size = { transactionsPerBlock: 5, logsPerBlock: 6, holders: 200 }

let postgres: PrivatePostgres
let node: RunningChainServer
let stage: Stage

const open = async (
  env: Record<string, string>,
  { blocks, startHead }: { blocks: number; startHead?: number },
) => {
  node = await startChainServer({ ...size, blocks, ...(startHead === undefined ? {} : { startHead }) })
  stage = await Stage.open({
    ...{ postgres, rpcUrl: node.url, roles: "ingest,work" },
    env: { RANGE_SIZE: "20", POLL_INTERVAL_MS: "100", ...env },
  })
}

const expectRight = async (blocks: number) => {
  const report = await stage.check()
  expect(report.ok, formatReport(report)).toBe(true)
  expect(report.blocks).toBe(blocks + 1)
  expect(await stage.derived.leases()).toEqual([])
  expect(await stage.derived.errors()).toEqual([])
}

beforeEach(async () => {
  postgres = await startPrivatePostgres()
})

afterEach(async () => {
  await stage.close()
  await node.stop()
  await postgres.remove()
})

describe("a process stopped with SIGSTOP while it derives", () => {
  it("is replaced when its leases end, changes nothing when it goes on, and works on", async () => {
    const moments: readonly TransactionMoment[] = ["in mid-derive", "in mid-fold"]
    const blocksEach = 60
    const last = moments.length * 2 * blocksEach
    await open({}, { blocks: last, startHead: 0 })
    let head = 0
    let worker = stage.start()
    await stage.finish(1)
    for (const moment of moments) {
      head += blocksEach
      const moveHead = () => node.setHead(head)
      const { successor } = await stopInTransaction(stage, { worker, moment, moveHead, head })
      await stage.finish(head + 1)
      // Alone now, and with more to do.
      worker.kill("SIGCONT")
      successor.kill("SIGKILL")
      await successor.exit
      head += blocksEach
      node.setHead(head)
      await stage.finish(head + 1)
      await expectRight(head)
      worker.kill("SIGKILL")
      await worker.exit
      worker = stage.start()
    }
    expect(stage.complaints()).toEqual([])
  })
})

describe("a group that comes to its commit after its leases were given away", () => {
  it("stores nothing, and the range is done by whoever has the leases next", async () => {
    const blocks = 60
    // Long leases: only the token stands between the late commit and the tables.
    await open({ LEASE_TTL_MS: "600000", HEAD_LEASE_TTL_MS: "600000" }, { blocks, startHead: 0 })
    stage.start()
    await stage.finish(1)
    const release = await holdAt(stage, { moment: "in mid-derive", moveHead: () => node.setHead(blocks) })
    // As an expiry does: new tokens, and the range waits for its next holder.
    const taken = await stage.derived.rows<{ worker_type: string; from: number; to: number }>(
      `update app.worker_leases set status = 'FAILED', epoch = gen_random_uuid(), lease_expires_at = null,
         next_attempt_at = clock_timestamp() + interval '1 hour'
       where status = 'ACTIVE' returning worker_type, from_height::int4 as from, to_height::int4 as to`,
    )
    expect(taken.length).toBeGreaterThan(5)
    const waiting = await stage.derived.rows<{ pid: number; xact_start: Date }>(
      `select pid, xact_start from pg_stat_activity where wait_event_type = 'Lock' and query ilike 'copy %evm_logs%'`,
    )
    expect(waiting.length).toBeGreaterThan(0)
    await release()
    await waitUntil(
      async () => {
        const still = await stage.derived.rows(
          `select 1 from pg_stat_activity join unnest($1::int4[], $2::timestamptz[]) as late (pid, xact_start)
           using (pid, xact_start)`,
          [waiting.map(({ pid }) => pid), waiting.map((row) => row.xact_start)],
        )
        return still.length === 0
      },
      { what: "the late commits over" },
    )
    const stored = await stage.derived.rows(
      `select 1 from app.worker_leases as lease join app.evm_transactions as row
       on row.block_height >= from_height and row.block_height < to_height
       where lease.worker_type = 'evm_worker' and lease.status = 'FAILED'`,
    )
    expect(stored).toEqual([])
    await stage.derived.rows("update app.worker_leases set next_attempt_at = null where status = 'FAILED'")
    await stage.finish(blocks + 1)
    await expectRight(blocks)
  })
})

describe("a database that dies while tables are derived", () => {
  it("ends no process, blames no block, and every table is right when it is back", async () => {
    const blocks = 400
    await open({ RPC_BATCH_BLOCKS: "5", RPC_MAX_RPS: "150" }, { blocks })
    const facts = await runWithPostgresAway(stage, {
      ...{ postgres, processes: 2, blocks, awayMs: 3_000, timeoutMs: patienceMs, resumeWithinMs: patienceMs },
    })
    console.info(`deriving went on ${facts.resumedMs} ms after the database was back`)
    expect(facts.doneBefore).toBeLessThan(blocks)
    expect(facts.processesEnded).toBe(0)
    await expectRight(blocks)
    expect(stage.complaints()).toEqual([])
  })
})
