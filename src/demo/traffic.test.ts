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

// A fresh node makes no blocks by itself, so what is sent stays in its pool until the test says so.
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "tidemark-traffic-"))
  anvil = await startAnvil({
    ...{ directory, clock: systemClock, logger: silentLogger, genesisTimestamp: 1_700_000_000 },
  })
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

test("the pool stays shallow when the node makes no blocks, and traffic goes on when it does", async () => {
  const traffic = makeTraffic()
  await traffic.makeHistory()
  const depths: number[] = []
  let sent = 0
  let skipped = false
  for (let turn = 0; turn < 60 && !skipped; turn++) {
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
  // A still block may be due next, but not several in a row.
  let later = 0
  for (let turn = 0; turn < 5; turn++) {
    later += await traffic.runOnce()
    await rpc.call("evm_mine")
  }
  expect(later).toBeGreaterThan(0)
})

test("waiting transactions that never move are dropped, and their nonces used again", async () => {
  const traffic = makeTraffic()
  await traffic.makeHistory()
  let dropped = false
  for (let turn = 0, before = 0; turn < 120 && !dropped; turn++) {
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

test("a turn without a node throws, and the loop around it does not", async () => {
  const traffic = makeTraffic()
  await traffic.makeHistory()
  await anvil.stop()
  await expect(traffic.runOnce()).rejects.toMatchObject({ code: "RPC_UNREACHABLE" })
  traffic.start()
  await systemClock.sleep(50)
  await expect(traffic.stop()).resolves.toBeUndefined()
})
