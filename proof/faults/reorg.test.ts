import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type Chain, createChain } from "../../bench/chain/synthetic-chain.js"
import { type PrivatePostgres, startPrivatePostgres } from "../../test/support/private-postgres.js"
import { startTamperingNode } from "../../test/support/tampering-node.js"
import { waitUntil } from "../../test/support/wait-until.js"
import { formatReport } from "../checker/format-report.js"
import { Stage, undisturbed } from "./stage.js"

const blocks = 400
let postgres: PrivatePostgres
let chain: Chain
const ending: (() => Promise<void>)[] = []

beforeAll(async () => {
  postgres = await startPrivatePostgres()
  chain = createChain({ blocks, transactionsPerBlock: 3, logsPerBlock: 5, holders: 200 })
})
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end()
})
afterAll(() => postgres.remove())

describe("a reorganisation", () => {
  it.each([
    ["one database", false],
    ["two databases", true],
  ])("ends with the tables of a chain that never had the lost blocks, in %s", async (_, twoDatabases) => {
    const node = await startTamperingNode(() => ({ chain, head: 120, finalized: 60 }))
    ending.push(() => node.stop())
    const stage = await Stage.open({
      postgres,
      rpcUrl: node.url,
      roles: "ingest,work",
      twoDatabases,
      env: { REORG_CONFIRM_MS: "200", POLL_INTERVAL_MS: "50" },
    })
    ending.push(() => stage.close())
    for (let i = 0; i < 2; i++) stage.start()
    await stage.derivedTo(121)
    // Deeper, then nested into what was just stored, then to a shorter chain that grows again.
    let branch: Chain = chain
    for (const [at, head, next] of [
      [110, 125, 125],
      [90, 126, 126],
      [124, 126, 128],
      [100, 118, 140],
    ] as const) {
      branch = branch.fork({ at, seed: at * 1_000 + head })
      const turned = branch
      node.view = () => ({ chain: turned, head, finalized: 60 })
      await waitUntil(async () => (await stage.probe.hashAt(head)) === turned.hashAt(head), {
        what: `block ${head} of the branch at ${at}`,
      })
      node.view = () => ({ chain: turned, head: next, finalized: 60 })
    }
    await stage.derivedTo(141)
    expect(await stage.probe.brokenLinks()).toEqual([])
    expect(await stage.digest()).toEqual(await undisturbed({ postgres, rpcUrl: node.url }, 140))
    const report = await stage.check()
    if (!report.ok) throw new Error(formatReport(report))
    expect(stage.complaints()).toEqual([])
  })

  it("below finality or past the cap deletes nothing, halts, and says so; back on the old chain it goes on", async () => {
    const node = await startTamperingNode(() => ({ chain, head: 120, finalized: 60 }))
    ending.push(() => node.stop())
    const env = { REORG_CONFIRM_MS: "200", POLL_INTERVAL_MS: "50", MAX_REORG_DEPTH: "20" }
    const stage = await Stage.open({ postgres, rpcUrl: node.url, env })
    ending.push(() => stage.close())
    stage.start()
    await stage.complete(121)
    const before = await stage.digest()
    for (const at of [50, 95]) {
      const fork = chain.fork({ at, seed: at })
      node.view = () => ({ chain: fork, head: 130, finalized: 60 })
      const halt = await waitUntil(() => stage.probe.halt(), { what: "the halt" })
      expect(halt).toMatch(at === 50 ? /finality is at 60/ : /MAX_REORG_DEPTH is 20/)
      expect(await stage.digest()).toEqual(before)
      node.view = () => ({ chain, head: 120, finalized: 60 })
      await waitUntil(async () => (await stage.probe.halt()) === undefined, { what: "the end of the halt" })
    }
    node.view = () => ({ chain, head: 150, finalized: 60 })
    await stage.complete(151)
    expect(await stage.digest()).toEqual(await undisturbed({ postgres, rpcUrl: node.url }, 150))
  })
})
