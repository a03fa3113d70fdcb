import { randomUUID } from "node:crypto"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { chainLock } from "../../../src/coordination/postgres/locks.js"
import { waitUntil } from "../../../test/support/wait-until.js"
import { FaultFixture } from "./fault-fixture.js"

const last = 20

const fixture = new FaultFixture()

describe("a process that starts on a rollback that waits for somebody who fell silent in the middle of a commit", () => {
  it("ends the silent one's connection and finishes the rollback, with its only connection to app", async () => {
    const node = await fixture.drivenNode({ blocks: last, transactionsPerBlock: 2, logsPerBlock: 2 })
    const stage = await fixture.stage({ rpcUrl: node.url, roles: "ingest,work", twoDatabases: true })
    const silent = new pg.Client(stage.appUrl)
    silent.on("error", () => undefined)
    fixture.ending(() => silent.end().catch(() => undefined))
    await stage.runToEnd(last)
    await silent.connect()
    await silent.query(
      `insert into app.worker_leases (worker_type, from_height, to_height, status, epoch, leased_by, lease_ttl_ms, lease_expires_at, backend_pid, backend_start)
         select 'token_worker', 1000, 1001, 'ACTIVE', gen_random_uuid(), 'silent', 1000, clock_timestamp() + interval '1 h', pid, backend_start
         from pg_stat_activity where pid = pg_backend_pid()`,
    )
    await silent.query("begin")
    await silent.query("select pg_advisory_xact_lock_shared($1, $2)", [...chainLock])
    await stage.probe.rows(
      `update raw.chain_state set intent_id = $1, intent_epoch = chain_epoch + 1, intent_removed = int8range($2, null),
           intent_ancestor_hash = (select hash from raw.blocks where height = $2::int8 - 1)`,
      [randomUUID(), last],
    )
    stage.start()
    await waitUntil(
      async () =>
        (await stage.derived.rows("select 1 from pg_locks where locktype = 'advisory' and not granted")).length > 0,
      { what: "the rollback waits for the silent one" },
    )
    // Not before: the reaper's first turn comes before the rollback's.
    await stage.derived.rows(
      "update app.worker_leases set lease_expires_at = clock_timestamp() where leased_by = 'silent'",
    )
    await waitUntil(
      async () =>
        (await stage.probe.rows("select 1 from raw.rollbacks")).length === 1 &&
        (await stage.probe.rows("select 1 from raw.chain_state where intent_id is not null")).length === 0,
      { what: "the rollback finished", everyMs: 100 },
    )
    await stage.finish(last + 1)
    expect(stage.complaints()).toEqual([])
  })
})
