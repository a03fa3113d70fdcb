import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type RunningChainServer, startChainServer } from "../../test/support/chain-server.js"
import { type PrivatePostgres, startPrivatePostgres } from "../../test/support/private-postgres.js"
import { waitUntil } from "../../test/support/wait-until.js"
import { Stage } from "./stage.js"
import { configWith, poison } from "./worker-config.js"

const blocks = 240
/** Around 0.6 s: all of its blocks take minutes, and the others some seconds of processor, however busy the machine. */
const crawlSteps = 500_000_000

let postgres: PrivatePostgres
let node: RunningChainServer

beforeAll(async () => {
  postgres = await startPrivatePostgres()
  node = await startChainServer({ blocks, transactionsPerBlock: 3, logsPerBlock: 4, holders: 100 })
})

afterAll(async () => {
  await node.stop()
  await postgres.remove()
})

describe("a worker that crawls", () => {
  it("is never overtaken by its dependents, and holds up nobody else", async () => {
    const config = configWith([
      { name: "crawler", before: poison.crawls(crawlSteps) },
      { name: "dependent", dependencies: ["crawler"] },
    ])
    // Small ranges too: slow is not who takes long, but who takes most of the time. And neither a deadline nor a lease that a busy
    // machine misses.
    const env = { RANGE_SIZE: "10", WORKER_DEADLINE_MS: "600000", LEASE_TTL_MS: "600000" }
    const stage = await Stage.open({ postgres, rpcUrl: node.url, roles: "ingest,work", config, env })
    try {
      stage.start()
      let samples = 0
      const overtakes: string[] = []
      const look = async () => {
        const [row] = await stage.derived.rows<{ ahead: string; others: boolean; dependent: string }>(
          `select (dependent.heights - crawler.heights)::text as ahead, dependent.heights::text as dependent,
             (select bool_and(heights @> int8range(0, $1)) from app.coverage
              where worker_type not in ('raw_ingester', 'crawler', 'dependent')) as others
           from app.coverage as crawler, app.coverage as dependent
           where crawler.worker_type = 'crawler' and dependent.worker_type = 'dependent'`,
          [blocks + 1],
        )
        if (!row) return undefined
        samples++
        if (row.ahead !== "{}") overtakes.push(row.ahead)
        return row
      }
      const until = async (what: string, fits: (row: { others: boolean; dependent: string }) => boolean) => {
        const seen = async () => {
          const row = await look()
          return row !== undefined && fits(row)
        }
        await waitUntil(seen, { what, timeoutMs: 600_000, everyMs: 20 }).catch(async (error) => {
          throw new Error(await stage.describe(), { cause: error })
        })
      }
      await until("all others done", ({ others }) => others)
      const crawled = await stage.derived.done(["crawler"])
      console.info(`when all others had ${blocks} blocks, the crawler had ${crawled}`)
      expect(crawled).toBeLessThan(blocks * 0.75)
      await until("the dependent somewhere", ({ dependent }) => dependent !== "{}")
      expect(overtakes).toEqual([])
      expect(samples).toBeGreaterThan(50)
      expect(await stage.derived.errors()).toEqual([])
      expect(stage.complaints()).toEqual([])
    } finally {
      await stage.close()
    }
  }, 1_200_000)
})
