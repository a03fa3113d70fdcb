import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { systemClock } from "../platform/clock.js"
import { silentLogger } from "../platform/logger.js"
import { type Anvil, startAnvil } from "./anvil.js"
import { AnvilRpc } from "./anvil-rpc.js"
import { DemoTraffic } from "./traffic.js"

let directory: string
let anvil: Anvil
let rpc: AnvilRpc

// A fresh node mines no blocks by itself, so transactions stay in its pool until the test mines one.
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "tidemark-traffic-"))
  const options = { directory, clock: systemClock, logger: silentLogger }
  anvil = await startAnvil({ ...options, genesisTimestamp: 1_700_000_000 })
  rpc = new AnvilRpc(anvil.httpUrl)
})

afterEach(async () => {
  await rpc.close()
  await anvil.stop()
  await rm(directory, { recursive: true, force: true })
})

const makeTraffic = () =>
  new DemoTraffic({
    ...{ rpc, clock: systemClock, logger: silentLogger, seed: "pool", blockTimeMs: 1000, historyBlocks: 10 },
  })

const waiting = async () => {
  const pool = await rpc.call<{ pending: string; queued: string }>("txpool_status")
  return Number(pool.pending) + Number(pool.queued)
}

test("the pool stays shallow while the node mines no blocks, and traffic continues when it does", async () => {
  const traffic = makeTraffic()
  await traffic.makeHistory()
  const depths: number[] = []
  let sent = 0
  let skipped = false
  for (let round = 0; round < 60 && !skipped; round++) {
    const taken = await traffic.runOnce()
    sent += taken
    depths.push(await waiting())
    skipped = taken === 0 && depths.at(-1)! > 120
  }
  expect(skipped).toBe(true)
  expect(Math.max(...depths)).toBeLessThanOrEqual(160)
  await rpc.call("evm_mine")
  expect(await waiting()).toBe(0)
  const block = await rpc.call<{ transactions: string[] }>("eth_getBlockByNumber", "latest", false)
  expect(block.transactions.length).toBe(sent)
  // The next block may be empty, but not several in a row.
  let later = 0
  for (let round = 0; round < 5; round++) {
    later += await traffic.runOnce()
    await rpc.call("evm_mine")
  }
  expect(later).toBeGreaterThan(0)
})

test("transactions that are never mined are dropped, and their nonces are used again", async () => {
  const traffic = makeTraffic()
  await traffic.makeHistory()
  let dropped = false
  for (let round = 0, before = 0; round < 120 && !dropped; round++) {
    await traffic.runOnce()
    const depth = await waiting()
    dropped = depth < before
    before = depth
  }
  expect(dropped).toBe(true)
  const sent = await traffic.runOnce()
  await rpc.call("evm_mine")
  const block = await rpc.call<{ transactions: string[] }>("eth_getBlockByNumber", "latest", false)
  expect(block.transactions.length).toBe(sent)
})

test("a round without a node throws, and the loop continues", async () => {
  const traffic = makeTraffic()
  await traffic.makeHistory()
  await anvil.stop()
  await expect(traffic.runOnce()).rejects.toMatchObject({ code: "RPC_UNREACHABLE" })
  traffic.start()
  await systemClock.sleep(50)
  await expect(traffic.stop()).resolves.toBeUndefined()
})
