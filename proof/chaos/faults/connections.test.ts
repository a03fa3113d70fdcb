import { beforeAll, describe, expect, it } from "vitest"
import { chainLock } from "../../../src/coordination/postgres/locks.js"
import { Connection } from "../../../src/postgres/connection.js"
import { createChain } from "../../../test/chain/synthetic-chain.js"
import type { TamperingNode } from "../../../test/support/tampering-node.js"
import { pause, waitUntil } from "../../../test/support/wait-until.js"
import type { Stage } from "../stage.js"
import { FaultFixture } from "./fault-fixture.js"

const bound = 12
const chain = createChain({ blocks: 300, transactionsPerBlock: 3, logsPerBlock: 4, holders: 100 })
const fixture = new FaultFixture({ story: true })
let node: TamperingNode
let stage: Stage
let holder: Connection
let most = 0
/** When it was more than it may be. */
let what = ""

/** Without those of the API, which are beside. */
async function count(): Promise<void> {
  const { rows } = await holder.query<{ name: string; n: number }>(
    `select datname || ' ' || application_name as name, count(*)::int4 as n from pg_stat_activity
     where application_name like 'tidemark %' and application_name not like '% serve' group by 1 order by 1`,
  )
  const now = rows.reduce((sum, { n }) => sum + n, 0)
  if (now > bound) what = rows.map(({ name, n }) => `${n} of ${name}`).join(", ")
  most = Math.max(most, now)
}

beforeAll(async () => {
  node = await fixture.tamperingNode(() => ({ chain, head: 120, finalized: 60 }))
  stage = await fixture.stage({
    rpcUrl: node.url,
    roles: "ingest,work,maintain,serve",
    twoDatabases: true,
    env: { REORG_CONFIRM_MS: "100", POLL_INTERVAL_MS: "50", HEAD_LEASE_TTL_MS: "3000" },
  })
})

// One story, on one store.
describe("a process with all roles and two databases", () => {
  const branch = chain.fork({ at: 110, seed: 3 })

  it("renews leases over a connection of its own in the app database too", async () => {
    stage.start()
    await stage.derivedTo(121)
    holder = await Connection.open({ url: stage.appUrl, applicationName: "test" })
    fixture.ending(() => holder.end())
    // As a write that takes its time: a block is being derived and cannot go on, so its lease has to be renewed.
    const writer = await Connection.open({ url: stage.appUrl, applicationName: "test" })
    fixture.ending(() => writer.end())
    await writer.query("begin")
    await writer.query("lock table app.evm_transactions in share mode")
    node.view = () => ({ chain, head: 122, finalized: 60 })
    await waitUntil(
      async () => {
        await count()
        const { rows } = await holder.query(
          "select 1 from pg_stat_activity where datname = current_database() and application_name like '% renewal'",
        )
        return rows.length > 0
      },
      { what: "a renewal in the app database" },
    )
    await writer.query("commit")
    await stage.derivedTo(123)
  })

  it(`keeps to ${bound} connections, in the middle of a rollback too`, async () => {
    // As a commit that takes its time: the rollback has to wait for it, with all that it needs in hand.
    await holder.query("select pg_advisory_lock_shared($1, $2)", [...chainLock])
    node.view = () => ({ chain: branch, head: 125, finalized: 60 })
    await waitUntil(
      async () => {
        await count()
        const { rows } = await holder.query(
          "select 1 from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and not granted",
        )
        return rows.length > 0
      },
      { what: "a rollback that waits" },
    )
    for (let look = 0; look < 20; look++) {
      await count()
      await pause(50)
    }
    await holder.query("select pg_advisory_unlock_shared($1, $2)", [...chainLock])
    await waitUntil(
      async () => {
        await count()
        return (await stage.probe.hashAt(125)) === branch.hashAt(125)
      },
      { what: "the new branch" },
    )
    await stage.derivedTo(126)
    expect(most).toBeGreaterThan(4)
    expect(most, what).toBeLessThanOrEqual(bound)
  })

  it("and while it looks over the store at night, for which its lanes of history lend theirs", async () => {
    for (const member of stage.members) expect(await member.end("SIGTERM")).toBe(0)
    await holder.query("update app.chain_state set created_at = '2020-01-01'")
    most = 0
    stage.start()
    await waitUntil(
      async () => {
        await count()
        const { rows } = await holder.query(
          "select 1 from app.audit_log where action = 'reconcile' and details ? 'left'",
        )
        return rows.length > 0
      },
      { what: "the look over the store", everyMs: 20 },
    )
    // A stretch that opened below finality is for the lanes of history: they are at work again.
    node.view = () => ({ chain: branch, head: 300, finalized: 280 })
    await stage.derivedTo(301)
    expect(most).toBeGreaterThan(4)
    expect(most, what).toBeLessThanOrEqual(bound)
  })
})
