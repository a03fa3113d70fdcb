// A server that has no connection left when all of a process's connections break: a neighbour was quicker, and keeps them for a while.

import assert from "node:assert/strict"
import pg from "pg"
import { pause, waitUntil } from "../../../test/support/wait-until.js"
import { compareAll, times } from "../compare.js"
import { healWithinMs } from "../heal-within.js"
import type { Scenario } from "../scenario.js"

/** As many as one process with all roles takes. */
const connections = 12
const blocksEach = 50

export const fewConnections: Scenario = {
  name: "few-connections",
  fault: `a role with ${connections} connections, just what a process takes; all of them break, and a neighbour takes them for 3 s`,
  count: { quick: 1, full: 50 },
  async run(scene) {
    const blocks = scene.count * blocksEach
    const postgres = await scene.postgres()
    const node = await scene.drivenNode({ blocks, startHead: 0 })
    const limited = (url: string): string => {
      const way = new URL(url)
      way.username = "limited"
      way.password = "limited"
      return way.href
    }
    const env = { RANGE_SIZE: "10", POLL_INTERVAL_MS: "100" }
    const stage = await scene.stage({ postgres, rpcUrl: node.url, roles: "ingest,work", way: limited, env })
    await stage.probe.rows(`create role limited login password 'limited' connection limit ${connections}`)
    const database = new URL(stage.url).pathname.slice(1)
    await stage.probe.rows(`alter database ${database} owner to limited`)
    stage.start()
    await stage.finish(1)
    const resumedMs: number[] = []
    let taken = 0
    for (let round = 1; round <= scene.count; round++) {
      const neighbours: pg.Client[] = []
      // The process comes back quickly, so it takes a few turns until the neighbour has them all.
      await waitUntil(
        async () => {
          await stage.probe.rows(
            `select pg_terminate_backend(pid) from pg_stat_activity
             where usename = 'limited' and application_name <> 'neighbour'`,
          )
          neighbours.push(...(await takeAll(limited(stage.url))))
          return neighbours.length === connections
        },
        { what: "a neighbour that has all connections", everyMs: 5 },
      )
      taken += neighbours.length
      node.setHead(round * blocksEach)
      await pause(3_000)
      for (const neighbour of neighbours) await neighbour.end().catch(() => undefined)
      const free = performance.now()
      await stage.until(async () => (await stage.probe.watermarkEnd()) > round * blocksEach, {
        what: "the new blocks stored",
      })
      resumedMs.push(performance.now() - free)
    }
    await stage.finish(blocks + 1, healWithinMs({ blocks: blocksEach }))
    assert.equal(stage.members.length, 1, "the process ended")
    const refused = stage.members[0]!.lines.filter((line) => JSON.stringify(line).includes("53300")).length
    assert.ok(taken > 0 && refused > 0, `${taken} connections were taken, ${refused} times one was refused`)
    const compared = await compareAll(stage, { against: { postgres, rpcUrl: node.url }, head: blocks })
    const facts = { blocks, "connections taken": taken, "refusals told": refused }
    return { times: scene.count, compared, recovery: times(resumedMs), facts }
  },
}

/** Every connection that the role may still have. */
async function takeAll(connectionString: string): Promise<pg.Client[]> {
  const clients: pg.Client[] = []
  for (;;) {
    const client = new pg.Client({ connectionString, application_name: "neighbour" })
    client.on("error", () => undefined)
    try {
      await client.connect()
    } catch {
      return clients
    }
    clients.push(client)
  }
}
