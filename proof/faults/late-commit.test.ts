import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type RunningChainServer, startChainServer } from "../../test/support/chain-server.js"
import { type PrivatePostgres, startPrivatePostgres } from "../../test/support/private-postgres.js"
import { waitUntil } from "../../test/support/wait-until.js"
import { Stage, undisturbed } from "./stage.js"
import { holdAt } from "./stopped-process.js"

const blocks = 60

let postgres: PrivatePostgres
let node: RunningChainServer

beforeAll(async () => {
  postgres = await startPrivatePostgres()
  node = await startChainServer({
    ...{ blocks, transactionsPerBlock: 5, logsPerBlock: 6, holders: 200, startHead: 0 },
  })
})

afterAll(async () => {
  await node.stop()
  await postgres.remove()
})

describe("a holder that comes to its commit after its lease was given away", () => {
  it("stores nothing, and the range is done by whoever has the lease next", async () => {
    // Long leases: only the token stands between the late commit and the store.
    const env = {
      LEASE_TTL_MS: "600000",
      HEAD_LEASE_TTL_MS: "600000",
      RANGE_SIZE: "20",
      POLL_INTERVAL_MS: "100",
    }
    const stage = await Stage.open({ postgres, rpcUrl: node.url, env })
    try {
      stage.start()
      await stage.complete(1)
      const release = await holdAt(stage, { moment: "in mid-COPY", moveHead: () => node.setHead(blocks) })
      // As an expiry does: a new token, and the range waits for its next holder.
      const taken = await stage.probe.rows<{ id: string; from_height: string }>(
        `update raw.worker_leases set status = 'FAILED', epoch = gen_random_uuid(), lease_expires_at = null,
           next_attempt_at = clock_timestamp() + interval '1 hour'
         where status = 'ACTIVE' returning id, from_height`,
      )
      expect(taken.length).toBeGreaterThan(0)
      const backends = await stage.probe.rows<{ pid: number }>(
        "select pid from pg_stat_activity where wait_event_type = 'Lock' and query ilike 'copy%'",
      )
      await release()
      await waitUntil(
        async () => {
          const rows = await stage.probe.rows(
            "select 1 from pg_stat_activity where pid = any ($1) and xact_start is not null and query ilike 'copy%'",
            [backends.map(({ pid }) => pid)],
          )
          const coming = await stage.probe.rows(
            "select 1 from pg_locks where locktype = 'advisory' and objid = 1",
          )
          return rows.length === 0 && coming.length === 0
        },
        { what: "the late commits over" },
      )
      const stored = await stage.probe.rows(
        "select 1 from raw.worker_leases as lease join raw.blocks on height >= from_height and height < to_height where lease.id = any ($1)",
        [taken.map(({ id }) => id)],
      )
      expect(stored).toEqual([])
      await stage.probe.rows("update raw.worker_leases set next_attempt_at = null where status = 'FAILED'")
      await stage.complete(blocks + 1)
      expect(await stage.digest()).toEqual(await undisturbed({ postgres, rpcUrl: node.url }, blocks))
    } finally {
      await stage.close()
    }
  })
})
