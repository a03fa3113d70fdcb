// The derived tables move to a server of their own, with everything in them, while a process goes on storing blocks and
// the chain is reorganised.

import assert from "node:assert/strict"
import { waitUntil } from "../../test/support/wait-until.js"
import type { Site } from "./site.js"

const kept = `select
  (select json_agg(row(actor, action) order by id) from app.audit_log)::text as audited,
  (select json_agg(row(id, epoch, removed)) from (select * from app.rollbacks order by epoch) as known)::text as rollbacks,
  (select json_agg(row(name, paused)) from (select * from app.workers order by name) as known)::text as workers,
  (select json_agg(row(contract_address, status, symbol))
   from (select * from app.token_metadata order by contract_address) as known)::text as observed,
  (select json_agg(notes) from app.notes)::text as own`

export async function moveApp(site: Site): Promise<string> {
  const url = await (await site.postgres()).create("store")
  const store = { raw: url, app: url }
  const ingest = site.start(store, { args: ["--roles", "ingest"] })
  const rest = site.start(store, { args: ["--roles", "work,serve,maintain"] })
  await site.caughtUp(store, [ingest, rest])
  site.reorganize(site.node.server.head - 5, 2)
  await site.caughtUp(store, [ingest, rest])
  await site.rows(url, "create table app.notes as select 'a table of the user' as note")
  await site.run("By copying them", 0, { DB_RAW_URL: url })
  await rest.end("SIGTERM")
  const before = await site.rows(url, kept)

  const there = await site.postgres()
  const newUrl = await there.create("derived")
  await site.run("With pg_dump", 1, { SERVER_URL: there.url("postgres") })
  const began = performance.now()
  await site.run("By copying them", 1, { DB_RAW_URL: url, NEW_APP_URL: newUrl })
  const seconds = (performance.now() - began) / 1_000
  assert.deepEqual(await site.rows(newUrl, kept), before)
  // What the process that goes on does to the old tables meanwhile, the new ones have to do again.
  site.reorganize(site.node.server.head - 8, 3)
  const known = "select id from app.rollbacks order by epoch"
  await waitUntil(async () => (await site.rows(url, known)).length === 2, {
    what: "the second rollback",
    timeoutMs: 60_000,
  })
  await ingest.end("SIGTERM")

  const moved = { raw: url, app: newUrl }
  const members = [
    site.start(moved, { args: ["--roles", "ingest"] }),
    site.start(moved, { args: ["--roles", "work,serve,maintain"] }),
  ]
  await site.caughtUp(moved, members)
  assert.deepEqual(await site.rows(newUrl, known), await site.rows(url, known))
  await site.run("By copying them", 2, { DB_RAW_URL: url, DB_APP_URL: newUrl })
  await site.caughtUp(moved, members)
  await site.verified(moved)
  for (const member of members) assert.equal(await member.end("SIGTERM"), 0)
  return `copied in ${seconds.toFixed(1)} s`
}
