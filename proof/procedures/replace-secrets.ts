// The database's password, the node's URL and the admin token change under two processes that are restarted one after
// the other. One of them is ready at every moment.

import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { urlOf } from "../../test/e2e/workplace.js"
import type { TidemarkProcess } from "../../test/support/tidemark-process.js"
import { waitUntil } from "../../test/support/wait-until.js"
import type { Site } from "./site.js"

const tokens = ["the-first-token-of-an-operator", "the-second-token-of-an-operator"] as const

export async function replaceSecrets(site: Site): Promise<string> {
  const server = await site.postgres()
  const url = await server.create("store")
  const files = { db: join(site.directory, "db_raw_url"), token: join(site.directory, "admin_token") }
  await writeFile(files.db, url)
  await writeFile(files.token, tokens[0])
  const env = { DB_RAW_URL: "", DB_APP_URL: "", DB_RAW_URL_FILE: files.db, ADMIN_TOKEN_FILE: files.token }
  const store = { raw: url, app: url }
  const members = [site.start(store, { env }), site.start(store, { env })]
  await site.caughtUp(store, members)

  const newUrl = url.replace("of-the-server", "changed")
  await site.run("Replace secrets", 0, { DB_RAW_URL: url, NEW_PASSWORD: "changed" })
  // A process that loses its sessions waits for the restart, and does not end.
  await site.rows(
    newUrl,
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'tidemark%'",
  )
  await members[0]!.line(({ code }) => code === "DATABASE_UNREACHABLE")
  await writeFile(files.db, newUrl)
  await writeFile(files.token, tokens[1])
  const changed = { raw: newUrl, app: newUrl }
  for (const [index, member] of members.entries()) {
    assert.equal(await member.end("SIGTERM"), 0)
    const next = site.start(changed, { env })
    members[index] = next
    await ready(next)
  }
  await site.caughtUp(changed, members)
  assert.deepEqual(await asked(members[0]!), [401, 200])
  await site.verified(changed)
  for (const member of members) assert.equal(await member.end("SIGTERM"), 0)
  await assert.rejects(site.rows(url, "select 1"), /password authentication failed/)
  return "password and token, two processes"
}

const ready = async (member: TidemarkProcess): Promise<unknown> => {
  const url = await urlOf(member)
  return waitUntil(async () => (await fetch(`${url}/ready`)).ok, { what: "ready" })
}

/** What a route for operators answers to each token. */
async function asked(member: TidemarkProcess): Promise<number[]> {
  const url = `${await urlOf(member)}/admin/abis`
  const statuses = tokens.map(async (token) => {
    const { status } = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
    return status
  })
  return Promise.all(statuses)
}
