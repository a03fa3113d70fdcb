// The derived tables are derived again on a server of their own, while readers use the old ones and the chain is
// reorganised under both.

import assert from "node:assert/strict"
import { urlOf } from "../../test/e2e/workplace.js"
import type { Site } from "./site.js"

export async function deriveAppElsewhere(site: Site): Promise<string> {
  const url = await (await site.postgres()).create("store")
  const store = { raw: url, app: url }
  const members = [site.start(store), site.start(store)]
  await site.caughtUp(store, members)
  site.reorganize(site.node.server.head - 5, 2)
  await site.caughtUp(store, members)
  const abi = `insert into app.abis (name, abi, created_by) values ('mine', '[{"type": "function"}]', 'an operator')`
  await site.rows(url, abi)

  const newUrl = await (await site.postgres()).create("derived")
  const beside = { raw: url, app: newUrl }
  const began = performance.now()
  const deriving = site.start(beside, { args: ["--roles", "ingest,work"] })
  site.reorganize(site.node.server.head - 8, 3)
  await site.run("By deriving them again", 0, { NEW_PROCESS: await urlOf(deriving) })
  const seconds = (performance.now() - began) / 1_000
  site.reorganize(site.node.server.head - 6, 4)
  await site.caughtUp(store, members)
  await site.caughtUp(beside, [deriving])
  await site.verified(store)
  await site.run("By deriving them again", 1, { DB_RAW_URL: url, NEW_APP_URL: newUrl })
  for (const member of [...members, deriving]) assert.equal(await member.end("SIGTERM"), 0)

  const next = [site.start(beside), site.start(beside)]
  await site.caughtUp(beside, next)
  await site.verified(beside)
  assert.deepEqual(await site.rows(newUrl, "select name from app.abis"), [{ name: "mine" }])
  for (const member of next) assert.equal(await member.end("SIGTERM"), 0)
  return `derived in ${seconds.toFixed(1)} s`
}
