// What a reorganisation must not do. That it ends with the tables of the new branch: proof/chaos/scenarios/reorgs.ts.

import { describe, expect, it } from "vitest"
import { createChain } from "../../../test/chain/synthetic-chain.js"
import { seededRandom } from "../../../test/support/seeded-random.js"
import { waitUntil } from "../../../test/support/wait-until.js"
import { compareRaw } from "../compare.js"
import { FaultFixture } from "./fault-fixture.js"

const chain = createChain({ blocks: 300, transactionsPerBlock: 3, logsPerBlock: 5, holders: 200 })
const fork = chain.fork({ at: 190, seed: 77 })
const mismatches = ["SEAM_MISMATCH", "PARENT_MISMATCH"]
const fixture = new FaultFixture()

describe("a chain with two branches", () => {
  it("that a balancer mixes is never stored with a block whose parent is another", async () => {
    const random = seededRandom(5)
    const node = await fixture.tamperingNode(() => ({ chain: random.next() < 0.5 ? chain : fork, head: 300 }))
    const stage = await fixture.stage({ rpcUrl: node.url, env: { RANGE_SIZE: "10", RPC_BATCH_BLOCKS: "3" } })
    for (let i = 0; i < 2; i++) stage.start()
    const seen = new Set<string | null>()
    await stage.until(
      async () => {
        expect(await stage.probe.brokenLinks()).toEqual([])
        for (const { code } of await stage.probe.unfinished()) seen.add(code)
        return mismatches.every((code) => seen.has(code))
      },
      { what: `both mismatches named`, everyMs: 100 },
    )
    // What the branches share is complete.
    await stage.until(async () => (await stage.probe.watermarkEnd()) >= 190, {
      what: "the shared part stored",
    })
    expect(await stage.probe.brokenLinks()).toEqual([])
    expect(stage.members).toHaveLength(2)
  })

  it("that turns under what is stored and turns back before it is certain leaves all as it was", async () => {
    const node = await fixture.tamperingNode(() => ({ chain, head: 200, finalized: 150 }))
    // A lease that a busy machine lets expire costs an attempt, as it should: here none may.
    const leases = { LEASE_TTL_MS: "600000", HEAD_LEASE_TTL_MS: "600000" }
    const stage = await fixture.stage({ rpcUrl: node.url, env: { REORG_CONFIRM_MS: "600000", ...leases } })
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
    await compareRaw(stage, { against: { postgres: fixture.postgres, rpcUrl: node.url }, head: 250 })
    // It was nobody's fault, so it cost no attempt.
    expect(Math.max(...(await stage.probe.leases()).map(({ attempt }) => attempt))).toBe(1)
  })
})

describe("a reorganisation", () => {
  it("below finality or past the cap deletes nothing, halts, and says so; back on the old chain it goes on", async () => {
    const node = await fixture.tamperingNode(() => ({ chain, head: 120, finalized: 60 }))
    const env = { REORG_CONFIRM_MS: "200", POLL_INTERVAL_MS: "50", MAX_REORG_DEPTH: "20" }
    const stage = await fixture.stage({ rpcUrl: node.url, env })
    stage.start()
    await stage.complete(121)
    const before = await stage.digest()
    for (const at of [50, 95]) {
      const other = chain.fork({ at, seed: at })
      node.view = () => ({ chain: other, head: 130, finalized: 60 })
      const halt = await waitUntil(() => stage.probe.halt(), { what: "the halt" })
      expect(halt).toMatch(at === 50 ? /finality is at 60/ : /MAX_REORG_DEPTH is 20/)
      expect(await stage.digest()).toEqual(before)
      node.view = () => ({ chain, head: 120, finalized: 60 })
      await waitUntil(async () => (await stage.probe.halt()) === undefined, { what: "the end of the halt" })
    }
    node.view = () => ({ chain, head: 150, finalized: 60 })
    await stage.complete(151)
    await compareRaw(stage, {
      ...{ against: { postgres: fixture.postgres, rpcUrl: node.url }, head: 150 },
      expected: (complaint) => complaint.includes('"code":"REORG_HALTED"'),
    })
  })
})
