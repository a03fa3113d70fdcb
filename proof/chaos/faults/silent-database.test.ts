import { describe, expect, it } from "vitest"
import { startSilentProxy } from "../../../test/support/silent-proxy.js"
import { patienceMs, waitUntil } from "../../../test/support/wait-until.js"
import { quickOrFull } from "../../quick-or-full.js"
import { leaseMs, reapMs } from "../stage.js"
import { FaultFixture } from "./fault-fixture.js"

const fixture = new FaultFixture()

/** A minute, with the timeout of a user, and recovery is timed: `PROFILE=full npm test -- proof/chaos/faults/silent-database`. */
const silentMs = quickOrFull(3_000, 60_000)
const withinMs = quickOrFull(patienceMs, leaseMs + reapMs + 10_000)
const env = { POLL_INTERVAL_MS: "100", ...quickOrFull({ DB_TIMEOUT_MS: "2000" }, {}) }

describe("a database that swallows everything it is sent, and then answers at the same address", () => {
  it("is given up by every connection, and the head and its tables are followed again", async () => {
    const node = await fixture.drivenNode({
      ...{ blocks: 20_000, startHead: 200, blockMs: 200, finality: 20, transactionsPerBlock: 2, logsPerBlock: 2 },
    })
    const proxy = await startSilentProxy(fixture.postgres.port)
    fixture.ending(() => proxy.close())
    const stage = await fixture.stage({
      ...{ rpcUrl: node.url, env, roles: "ingest,work", twoDatabases: true, way: proxy.way },
    })
    for (let i = 0; i < 2; i++) stage.start()
    const top = async (table: "raw" | "derived"): Promise<number> => {
      const [row] = await stage[table === "raw" ? "probe" : "derived"].rows<{ top: string | null }>(
        table === "raw"
          ? "select upper(heights) - 1 as top from raw.coverage"
          : "select min(upper(heights)) - 1 as top from app.coverage where worker_type <> 'raw_ingester'",
      )
      return Number(row?.top ?? -1)
    }
    const followed = (height: number) =>
      waitUntil(async () => Math.min(await top("raw"), await top("derived")) >= height, { what: `block ${height}` })
    await followed(node.server.head)
    proxy.fallSilent()
    await new Promise((resolve) => setTimeout(resolve, silentMs))
    proxy.leadTo(fixture.postgres.port)
    const answersAt = performance.now()
    await followed(node.server.head)
    const recoveredMs = Math.round(performance.now() - answersAt)
    console.info(`after ${silentMs} ms of silence all of it was derived again within ${recoveredMs} ms`)
    expect(recoveredMs).toBeLessThan(withinMs)
    expect(stage.members).toHaveLength(2)
  })
})
