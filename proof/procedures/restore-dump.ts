// A dump taken while processes run and the chain is reorganised, restored on another server and continued there.

import assert from "node:assert/strict"
import { urlOf } from "../../test/e2e/workplace.js"
import { EventStream } from "../../test/support/event-stream.js"
import type { Site } from "./site.js"

export async function restoreDump(site: Site): Promise<string> {
  const here = await site.postgres()
  const url = await here.create("store")
  const store = { raw: url, app: url }
  const members = [site.start(store), site.start(store)]
  await site.caughtUp(store, members)
  const dumped = site.run("With pg_dump", 0, { DB_RAW_URL: url })
  site.reorganize(site.node.server.head - 5, 2)
  await dumped
  await site.caughtUp(store, members)
  const [{ last }] = (await site.rows<{ last: string }>(
    url,
    "select last_sequence as last from app.outbox_state",
  )) as [{ last: string }]
  for (const member of members) await member.end("SIGKILL")

  const there = await site.postgres()
  const newUrl = await there.create("store")
  const restored = { raw: newUrl, app: newUrl }
  await site.run("With pg_dump", 1, { SERVER_URL: there.url("postgres") })
  const began = performance.now()
  await site.run("With pg_dump", 2, { NEW_URL: newUrl })
  await site.run("After a restore", 0, { DB_RAW_URL: newUrl })
  const seconds = (performance.now() - began) / 1_000
  const next = site.start(restored)
  const stream = await EventStream.open(`${await urlOf(next)}/v1/stream`, { lastEventId: `evm-1337:${last}` })
  await stream.until(() => stream.events.some(({ event }) => event === "reset"), 60_000)
  await site.caughtUp(restored, [next])
  await site.verified(restored)
  assert.equal(await next.end("SIGTERM"), 0)
  return `restored and verified in ${seconds.toFixed(1)} s`
}
