import { readFileSync } from "node:fs"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type Chain, createChain } from "../../bench/chain/synthetic-chain.js"
import { startChainServer } from "../support/chain-server.js"
import { heightNamedBy, isBlockCall } from "../support/hostile/rpc-shapes.js"
import { startHostileRpc } from "../support/hostile-rpc.js"
import { type PrivatePostgres, startPrivatePostgres } from "../support/private-postgres.js"
import { startTamperingNode } from "../support/tampering-node.js"
import { waitUntil } from "../support/wait-until.js"
import { countFaults, everyFault, pinHonestly } from "./lying-node.js"
import { Stage, type StageOptions, undisturbed } from "./stage.js"

const size = { transactionsPerBlock: 3, logsPerBlock: 5, holders: 200 }
const blocks = 200

let postgres: PrivatePostgres
let chain: Chain
const ending: (() => Promise<void>)[] = []

beforeAll(async () => {
  postgres = await startPrivatePostgres()
  chain = createChain({ ...size, blocks })
})

afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end()
})

afterAll(() => postgres.remove())

async function openStage(options: Omit<StageOptions, "postgres">): Promise<Stage> {
  const stage = await Stage.open({ postgres, ...options })
  ending.push(() => stage.close())
  return stage
}

describe("a node that lies", () => {
  it("in every way there is, a little, leaves not one wrong row in the store", async () => {
    const honest = await startChainServer({ chain })
    ending.push(() => honest.stop())
    const without = { columns: ["extra"] }
    const expected = await undisturbed({ postgres, rpcUrl: honest.url }, blocks, without)
    const node = await startHostileRpc({ seed: 11, chain, hugeBodyBytes: 3_000_000, dripMs: 300 })
    ending.push(() => node.stop())
    const env = {
      RPC_BATCH_BLOCKS: "2",
      RANGE_SIZE: "10",
      RPC_TIMEOUT_MS: "500",
      RPC_MAX_RESPONSE_BYTES: "2000000",
    }
    const stage = await openStage({ rpcUrl: node.url, env })
    await pinHonestly(stage, node)
    const faults = everyFault(0.01)
    node.setFaults(faults)
    stage.start()
    await stage.complete(blocks + 1)
    const facts = countFaults(node, faults)
    console.info(facts)
    expect(facts.lies).toBeGreaterThan(10)
    expect(stage.members).toHaveLength(1)
    expect(await stage.digest(without)).toEqual(expected)
    expect(await stage.probe.foreignBlocks((height) => chain.hashAt(height))).toEqual([])
  })

  it("about one block always, has that block named and set apart, and nothing else held up", async () => {
    const node = await startTamperingNode(() => ({ chain, head: 100 }))
    ending.push(() => node.stop())
    const liedAbout = 57
    node.tamper = (call, result) =>
      isBlockCall(call) && heightNamedBy(call) === liedAbout
        ? { ...(result as object), logsBloom: `0x${"ab".repeat(256)}` }
        : undefined
    const stage = await openStage({ rpcUrl: node.url })
    const member = stage.start()
    await waitUntil(
      async () => (await stage.probe.coverage()) === `{[0,${liedAbout}),[${liedAbout + 1},101)}`,
      {
        what: "all blocks but one stored",
      },
    )
    const [lease, ...others] = await stage.probe.unfinished()
    expect(others).toEqual([])
    expect(lease).toMatchObject({ from: liedAbout, to: liedAbout + 1, code: "VERIFY_UNSUPPORTED" })
    expect(lease!.error).toContain(`block ${liedAbout}`)
    expect(lease!.error).toContain("checks: { bloom: false }")
    node.tamper = () => undefined
    await stage.complete(101)
    expect(stage.members).toEqual([member])
  })

  it("about the parent of a range's first block is found out before that block is stored", async () => {
    const node = await startTamperingNode(() => ({ chain, head: 40 }))
    ending.push(() => node.stop())
    // The range below is not to be had meanwhile, so that no stored neighbour can tell.
    node.tamper = (call, result) => {
      const height = heightNamedBy(call)
      if (!isBlockCall(call) || height === undefined || call.params?.[1] !== true) return undefined
      if (height === 20) return { ...(result as object), parentHash: `0x${"cd".repeat(32)}` }
      return height < 20 ? null : undefined
    }
    const stage = await openStage({ rpcUrl: node.url, env: { RANGE_SIZE: "20" } })
    stage.start()
    await waitUntil(
      async () =>
        (await stage.probe.unfinished()).find(({ from, code }) => from === 20 && code === "PARENT_MISMATCH"),
      { what: "the false parent named" },
    )
    expect(await stage.probe.rows("select 1 from raw.blocks where height = 20")).toEqual([])
    node.tamper = () => undefined
    await stage.complete(41)
    expect(await stage.probe.foreignBlocks((height) => chain.hashAt(height))).toEqual([])
  })

  it("about its chain is named, and not one block of it is stored", async () => {
    const other = createChain({ ...size, blocks: 200, seed: 5, chainId: 4242 })
    let away = false
    const right = await startTamperingNode(() => (away ? undefined : { chain, head: 100 }))
    const wrong = await startTamperingNode(() => ({ chain: other, head: 200 }))
    ending.push(
      () => right.stop(),
      () => wrong.stop(),
    )
    const stage = await openStage({ rpcUrl: `${right.url},${wrong.url}` })
    stage.start()
    await stage.complete(101)
    away = true
    const label = new URL(wrong.url).host
    await waitUntil(
      async () => {
        const rows = await stage.probe.rows<{
          state: { providers: { label: string; mismatch: string | null }[] }
        }>("select state from raw.processes")
        return rows.some(({ state }) =>
          state.providers.some((provider) => provider.label === label && provider.mismatch === "4242"),
        )
      },
      { what: "the wrong chain named in the state of the process" },
    )
    away = false
    right.view = () => ({ chain, head: 150 })
    await stage.complete(151)
    expect(await stage.probe.foreignBlocks((height) => chain.hashAt(height))).toEqual([])
  })

  it("with answers of 200 MB finds a process that stays under 512 MB and goes on", async () => {
    const node = await startHostileRpc({ seed: 3, chain: createChain({ ...size, blocks: 200 }) })
    ending.push(() => node.stop())
    const stage = await openStage({ rpcUrl: node.url, env: { RPC_BATCH_BLOCKS: "10", RANGE_SIZE: "20" } })
    await pinHonestly(stage, node)
    node.setFaults({ hugeBody: 1 })
    const member = stage.start()
    await waitUntil(() => node.counts.hugeBody >= 8, { what: "huge answers" })
    node.setFaults({})
    await stage.complete(201)
    expect(stage.members).toEqual([member])
    const peakMb =
      Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${member.pid}/status`, "utf8"))![1]) / 1_024
    console.info(`at most ${Math.round(peakMb)} MB resident`)
    expect(peakMb).toBeLessThan(512)
  })
})
