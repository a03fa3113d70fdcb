import assert from "node:assert/strict"
import { createChain } from "../../../bench/chain/synthetic-chain.js"
import { startTamperingNode } from "../../../test/support/tampering-node.js"
import { runWithReorgs } from "../../faults/reorgs.js"
import { compareAll, times } from "../compare.js"
import { healWithinMs } from "../heal-within.js"
import type { Scenario } from "../scenario.js"
import type { Scene } from "../scene.js"

async function reorganise(scene: Scene, { twoDatabases }: { twoDatabases: boolean }) {
  // Long, and asked for slowly: many of the reorganisations meet a backfill.
  const history = scene.isQuick ? 300 : 30 * scene.count
  const callsPerSecond = 100
  const slowly = scene.isQuick ? {} : { RPC_MAX_RPS: String(callsPerSecond) }
  const chain = createChain({
    ...{ blocks: 100_000, transactionsPerBlock: 2, logsPerBlock: 6, holders: 500 },
    // Tokens change hands more than once a block.
    tokenIds: 1,
  })
  const node = await startTamperingNode(() => undefined)
  scene.ending(() => node.stop())
  const postgres = await scene.postgres()
  const stage = await scene.stage({
    ...{ postgres, rpcUrl: node.url, roles: "ingest,work", twoDatabases },
    env: {
      ...{ RANGE_SIZE: "100", RPC_BATCH_BLOCKS: "10", REORG_CONFIRM_MS: "100", POLL_INTERVAL_MS: "50" },
      ...slowly,
    },
  })
  const { storedMs, derivedMs, head, ...counts } = await runWithReorgs(stage, {
    ...{ node, chain, history, reorgs: scene.count, seed: scene.seed },
    finishWithinMs: (blocks) => healWithinMs({ blocks, callsPerSecond }),
    ...{ processes: 2, reorgsPerKill: 20, say: scene.say },
  })
  if (!scene.isQuick) assert.ok(counts.whileFilling > scene.count / 50, JSON.stringify(counts))
  const compared = await compareAll(stage, { against: { postgres, rpcUrl: node.url }, head })
  const facts = { blocks: head, ...counts, derived: times(derivedMs) }
  return { times: scene.count, compared, recovery: `stored: ${times(storedMs)}`, facts }
}

const count = { quick: 20, full: 500 }

export const reorgs: Scenario = {
  name: "reorgs",
  fault: "reorganisations up to 256 deep, nested, to shorter chains, with kill -9 now and then",
  count,
  quickTest: "reorg.test.ts",
  run: (scene) => reorganise(scene, { twoDatabases: false }),
}

export const reorgsTwo: Scenario = {
  name: "reorgs-two",
  fault: "the same, raw and app in two databases",
  count,
  quickTest: "reorg.test.ts",
  run: (scene) => reorganise(scene, { twoDatabases: true }),
}
