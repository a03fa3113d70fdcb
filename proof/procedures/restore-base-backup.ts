// A base backup taken while processes run, started as a server of its own and continued there.

import assert from "node:assert/strict"
import { join } from "node:path"
import type { Site } from "./site.js"
import { SystemPostgres } from "./system-postgres.js"

export async function restoreBaseBackup(site: Site): Promise<string> {
  const here = await site.postgres()
  const url = await here.create("store")
  const store = { raw: url, app: url }
  const members = [site.start(store), site.start(store)]
  await site.caughtUp(store, members)
  const place = await site.place()
  const began = performance.now()
  await site.run(
    ...(["With a base backup", 0, { SERVER_URL: here.url("postgres"), BACKUP: join(place, "data") }] as const),
    { asServer: true },
  )
  const seconds = (performance.now() - began) / 1_000
  await site.caughtUp(store, members)
  for (const member of members) await member.end("SIGKILL")

  const there = await SystemPostgres.onFiles(place)
  site.ending(() => there.remove())
  const restored = { raw: there.url("store"), app: there.url("store") }
  await site.run("After a restore", 0, { DB_RAW_URL: restored.raw })
  const next = site.start(restored)
  await site.caughtUp(restored, [next])
  await site.verified(restored)
  assert.equal(await next.end("SIGTERM"), 0)
  return `copied in ${seconds.toFixed(1)} s`
}
