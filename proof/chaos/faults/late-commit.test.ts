import { describe, expect, it } from "vitest"
import { compareAll, compareRaw } from "../compare.js"
import { holdAt, type TransactionMoment } from "../stopped-process.js"
import { FaultFixture } from "./fault-fixture.js"

const blocks = 60
const fixture = new FaultFixture()

const cases: readonly (Record<"schema" | "roles" | "table" | "column" | "worker", string> & {
  moment: TransactionMoment
})[] = [
  {
    ...{ schema: "raw", roles: "ingest", moment: "in mid-COPY", table: "raw.blocks", column: "height" },
    worker: "raw_ingester",
  },
  {
    ...{ schema: "app", roles: "ingest,work", moment: "in mid-derive", table: "app.evm_transactions" },
    ...{ column: "block_height", worker: "evm_worker" },
  },
]

describe("a holder that comes to its commit after its lease was given away", () => {
  it.each(cases)(
    "stores nothing in $schema, and the range is done by whoever has the lease next",
    async ({ schema, roles, moment, table, column, worker }) => {
      const node = await fixture.drivenNode({ blocks, startHead: 0 })
      // Long leases: only the token stands between the late commit and the store.
      const stage = await fixture.stage({
        ...{ rpcUrl: node.url, roles },
        env: {
          ...{ LEASE_TTL_MS: "600000", HEAD_LEASE_TTL_MS: "600000" },
          ...{ RANGE_SIZE: "20", POLL_INTERVAL_MS: "100" },
        },
      })
      stage.start()
      await stage.finish(1)
      const release = await holdAt(stage, { moment, moveHead: () => node.setHead(blocks) })
      // As an expiry does: new tokens, and the ranges wait for their next holder.
      const taken = await stage.probe.rows<{ worker_type: string; from: string; to: string }>(
        `update ${schema}.worker_leases set status = 'FAILED', epoch = gen_random_uuid(), lease_expires_at = null,
           next_attempt_at = clock_timestamp() + interval '1 hour'
         where status = 'ACTIVE' returning worker_type, from_height as from, to_height as to`,
      )
      expect(taken.length).toBeGreaterThan(0)
      const waiting = await stage.probe.rows<{ pid: number; xact_start: Date }>(
        `select pid, xact_start from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query ilike 'copy %'`,
      )
      expect(waiting.length).toBeGreaterThan(0)
      await release()
      await stage.until(
        async () => {
          const still = await stage.probe.rows(
            `select 1 from pg_stat_activity join unnest($1::int4[], $2::timestamptz[]) as late (pid, xact_start)
             using (pid, xact_start)`,
            [waiting.map(({ pid }) => pid), waiting.map((row) => row.xact_start)],
          )
          return still.length === 0
        },
        { what: "the late transactions over" },
      )
      const ranges = taken.filter(({ worker_type }) => worker_type === worker)
      expect(ranges.length).toBeGreaterThan(0)
      const stored = await stage.probe.rows(
        `select 1 from ${table} join unnest($1::int8[], $2::int8[]) as lost (low, high)
         on ${column} >= low and ${column} < high`,
        [ranges.map(({ from }) => from), ranges.map(({ to }) => to)],
      )
      expect(stored).toEqual([])
      await stage.probe.rows(`update ${schema}.worker_leases set next_attempt_at = null where status = 'FAILED'`)
      await stage.finish(blocks + 1)
      const compare = schema === "app" ? compareAll : compareRaw
      await compare(stage, { against: { postgres: fixture.postgres, rpcUrl: node.url }, head: blocks })
    },
  )
})
