// Two databases, dumped one after the other while blocks arrive and a reorganisation comes in between: restored, they
// agree again by themselves.

import assert from "node:assert/strict"
import type { Site } from "./site.js"

export async function restoreTwoDumps(site: Site): Promise<string> {
  const here = await site.postgres()
  const store = { raw: await here.create("store"), app: await here.create("derived") }
  const member = site.start(store)
  await site.caughtUp(store, [member])
  await site.run("With pg_dump", 3, { DB_APP_URL: store.app })
  const head = await site.caughtUp(store, [member])
  site.reorganize(head - 5, 2)
  await site.caughtUp(store, [member])
  await site.run("With pg_dump", 4, { DB_RAW_URL: store.raw })
  await member.end("SIGKILL")

  const there = await site.postgres()
  const restored = { raw: await there.create("store"), app: await there.create("derived") }
  await site.run("With pg_dump", 1, { SERVER_URL: there.url("postgres") })
  await site.run("With pg_dump", 5, { NEW_URL: restored.raw, NEW_APP_URL: restored.app })
  const next = site.start(restored)
  await site.caughtUp(restored, [next])
  await site.verified(restored)
  assert.equal(await next.end("SIGTERM"), 0)
  const rollbacks = await site.rows(restored.app, "select id from app.rollbacks")
  assert.ok(rollbacks.length > 0, "the reorganisation between the two dumps is not known to app")
  return "raw is newer than app by a reorganisation, and both agree again"
}
