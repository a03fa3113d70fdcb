import { randomUUID } from "node:crypto"
import { rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { configWith, poison } from "../worker-config.js"
import { FaultFixture } from "./fault-fixture.js"

const blocks = 80
/** Slow at first; then it takes minutes, so that the others are done before it on the busiest machine. */
const crawl = { ms: 200, from: 20, untilMs: 3_000 }
const fixture = new FaultFixture()

describe("a worker that crawls", () => {
  it("is never overtaken by its dependents, and holds up nobody else", async () => {
    // It crawls until this file is there: until all others are done, however long they take.
    const cure = join(tmpdir(), `tidemark-test-cure-${randomUUID()}`)
    fixture.ending(() => rm(cure, { force: true }))
    const config = configWith([
      { name: "crawler", before: poison.crawls({ ...crawl, until: cure }) },
      { name: "dependent", dependencies: ["crawler"] },
    ])
    // Small ranges too: slow is not who takes long, but who takes most of the time. And neither a deadline nor a lease that a busy
    // machine misses.
    const env = { RANGE_SIZE: "5", WORKER_DEADLINE_MS: "600000", LEASE_TTL_MS: "600000" }
    const node = await fixture.drivenNode({ blocks, transactionsPerBlock: 3, logsPerBlock: 4 })
    const stage = await fixture.stage({ rpcUrl: node.url, roles: "ingest,work", config, env })
    stage.start()
    const overtakes: string[] = []
    const until = (what: string, workers: string) =>
      stage.until(
        async () => {
          const [row] = await stage.derived.rows<{ ahead: string; done: boolean }>(
            `select (dependent.heights - crawler.heights)::text as ahead,
               (select bool_and(heights @> int8range(0, $1)) from app.coverage
                where worker_type <> 'raw_ingester' and ${workers}) as done
             from app.coverage as crawler, app.coverage as dependent
             where crawler.worker_type = 'crawler' and dependent.worker_type = 'dependent'`,
            [blocks + 1],
          )
          if (row && row.ahead !== "{}") overtakes.push(row.ahead)
          return row?.done
        },
        { what, timeoutMs: 600_000, everyMs: 20 },
      )
    await until("all others done", "worker_type not in ('crawler', 'dependent')")
    const crawled = await stage.derived.done(["crawler"])
    console.info(`when all others had ${blocks} blocks, the crawler had ${crawled}`)
    expect(crawled).toBeLessThan(blocks)
    await writeFile(cure, "")
    await until("the crawler and its dependent done", "true")
    expect(overtakes).toEqual([])
    expect(await stage.derived.errors()).toEqual([])
    expect(stage.complaints()).toEqual([])
  }, 1_200_000)
})
