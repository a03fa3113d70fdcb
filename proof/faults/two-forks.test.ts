import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type Chain, createChain } from "../../bench/chain/synthetic-chain.js"
import { type PrivatePostgres, startPrivatePostgres } from "../../test/support/private-postgres.js"
import { seededRandom } from "../../test/support/seeded-random.js"
import { startTamperingNode } from "../../test/support/tampering-node.js"
import { waitUntil } from "../../test/support/wait-until.js"
import { Stage, undisturbed } from "./stage.js"

const blocks = 300
const mismatches = ["SEAM_MISMATCH", "PARENT_MISMATCH"]

let postgres: PrivatePostgres
let chain: Chain
let fork: Chain
const ending: (() => Promise<void>)[] = []

beforeAll(async () => {
  postgres = await startPrivatePostgres()
  chain = createChain({ blocks, transactionsPerBlock: 3, logsPerBlock: 5, holders: 200 })
  fork = chain.fork({ at: 190, seed: 77 })
})

afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end()
})

afterAll(() => postgres.remove())

describe("a chain with two branches", () => {
  it("that a balancer mixes is never stored with a block whose parent is another", async () => {
    const random = seededRandom(5)
    const node = await startTamperingNode(() => ({ chain: random.next() < 0.5 ? chain : fork, head: blocks }))
    ending.push(() => node.stop())
    const env = { RANGE_SIZE: "10", RPC_BATCH_BLOCKS: "3" }
    const stage = await Stage.open({ postgres, rpcUrl: node.url, env })
    ending.push(() => stage.close())
    for (let i = 0; i < 2; i++) stage.start()
    const seen = new Set<string | null>()
    await waitUntil(
      async () => {
        expect(await stage.probe.brokenLinks()).toEqual([])
        for (const { code } of await stage.probe.unfinished()) seen.add(code)
        return mismatches.every((code) => seen.has(code))
      },
      { what: `both mismatches named`, everyMs: 100 },
    )
    // What the branches share is complete.
    await waitUntil(async () => /^\{\[0,(19\d|[23]\d\d)\)/.test(await stage.probe.coverage()), {
      what: "the shared part stored",
    })
    expect(await stage.probe.brokenLinks()).toEqual([])
    expect(stage.members).toHaveLength(2)
  })

  it("that turns under what is stored and turns back before it is certain leaves all as it was", async () => {
    const node = await startTamperingNode(() => ({ chain, head: 200, finalized: 150 }))
    ending.push(() => node.stop())
    const stage = await Stage.open({ postgres, rpcUrl: node.url, env: { REORG_CONFIRM_MS: "600000" } })
    ending.push(() => stage.close())
    stage.start()
    await stage.complete(201)
    const before = await stage.digest()
    node.view = () => ({ chain: fork, head: 220, finalized: 150 })
    const lease = await waitUntil(
      async () => (await stage.probe.unfinished()).find(({ code }) => code === "SEAM_MISMATCH"),
      { what: "the mismatch named" },
    )
    expect(lease.from).toBe(201)
    expect(lease.error).toContain("block 201 names")
    expect(lease.error).toContain(chain.hashAt(200))
    expect(await stage.digest()).toEqual(before)
    node.view = () => ({ chain, head: 250, finalized: 150 })
    await stage.complete(251)
    expect(await stage.digest()).toEqual(await undisturbed({ postgres, rpcUrl: node.url }, 250))
    // It was nobody's fault, so it cost no attempt.
    expect(Math.max(...(await stage.probe.leases()).map(({ attempt }) => attempt))).toBe(1)
  })
})
