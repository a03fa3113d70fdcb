// The long fault proofs, one after the other, and a table of what they met and measured. Names as arguments choose some.
// Every one of them ends by comparing all raw tables with those of a single undisturbed process, or all derived tables with
// what the independent checker makes of raw. `--count` is the number of reorganisations.

import assert from "node:assert/strict"
import { parseArgs } from "node:util"
import { type Chain, createChain } from "../../../bench/chain/synthetic-chain.js"
import { quantile } from "../../../bench/measure/statistics.js"
import { formatReport } from "../../checker/format-report.js"
import { type SpawnedChainServer, spawnChainServer } from "../../support/chain-server.js"
import { startHostileRpc } from "../../support/hostile-rpc.js"
import { type PrivatePostgres, startPrivatePostgres } from "../../support/private-postgres.js"
import type { DigestOptions } from "../../support/raw-digest.js"
import { startTamperingNode } from "../../support/tampering-node.js"
import { runWithKills } from "../kills.js"
import { countFaults, everyFault, pinHonestly } from "../lying-node.js"
import { runWithPostgresAway } from "../postgres-away.js"
import { runWithReorgs } from "../reorgs.js"
import { Stage, undisturbed } from "../stage.js"
import { runWithStops } from "../stops.js"

const blocks = 20_000
const size = { blocks, transactionsPerBlock: 5, logsPerBlock: 6, holders: 2_000 }
const processes = 6
// Slowed down by their own limits, so that the faults meet work.
const env = { RANGE_SIZE: "100", RPC_BATCH_BLOCKS: "10", RPC_MAX_RPS: "120" }
const timeoutMs = 1_800_000

const { values: given, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { count: { type: "string", default: "500" } },
})

/** What an interrupted run has to end: stages may be closed twice. */
const open = new Set<Stage>()
let server: PrivatePostgres | undefined

type Facts = Readonly<Record<string, number | string>>

interface Scene {
  readonly postgres: PrivatePostgres
  readonly node: SpawnedChainServer
}

const proofs: Record<string, (scene: Scene) => Promise<Facts>> = {
  kills: (scene) =>
    compared(scene, async (stage) => {
      const facts = await runWithKills(stage, {
        processes,
        kills: 50,
        blocks,
        seed: 1,
        timeoutMs,
        delayMs: 500,
      })
      return { ...facts }
    }),
  "postgres-away": (scene) =>
    compared(scene, async (stage) => {
      const { postgres } = scene
      const facts = await runWithPostgresAway(stage, {
        postgres,
        processes,
        blocks,
        awayMs: 60_000,
        timeoutMs,
      })
      assert.equal(facts.processesEnded, 0)
      assert.ok(facts.highestAttempt <= 3, `a lease needed ${facts.highestAttempt} attempts`)
      return { "away ms": 60_000, ...facts }
    }),
  stops: (scene) =>
    compared(scene, async (stage) => {
      await runWithStops(stage, { processes, stops: 20, blocks, seed: 2, timeoutMs })
      return { stops: 20 }
    }),
  "derived-kills": (scene) => derivedKills(scene, { twoDatabases: false }),
  "derived-kills-two-databases": (scene) => derivedKills(scene, { twoDatabases: true }),
  lies: ({ postgres }) => lieLong(postgres, createChain({ ...size, blocks: 1_000 })),
  reorgs: ({ postgres }) => reorgLong(postgres, { twoDatabases: false, seed: 3 }),
  "reorgs-two": ({ postgres }) => reorgLong(postgres, { twoDatabases: true, seed: 4 }),
}

/** Runs on a store of its own, then compares every table with the undisturbed ones. */
async function compared({ postgres, node }: Scene, run: (stage: Stage) => Promise<Facts>): Promise<Facts> {
  const stage = await Stage.open({ postgres, rpcUrl: node.url, env })
  open.add(stage)
  try {
    const facts = await run(stage)
    const expected = await undisturbed({ postgres, rpcUrl: node.url }, blocks)
    assert.deepEqual(await stage.digest(), expected)
    assert.deepEqual(await stage.probe.unfinished(), [])
    return { processes, blocks, ...facts, "rows compared": total(expected.rows), tables: "equal" }
  } finally {
    await stage.close()
  }
}

/** Kills processes that ingest and derive, then compares every derived table with the checker's. */
async function derivedKills(
  { postgres, node }: Scene,
  { twoDatabases }: { twoDatabases: boolean },
): Promise<Facts> {
  const stage = await Stage.open({ postgres, rpcUrl: node.url, roles: "ingest,work", twoDatabases, env })
  open.add(stage)
  try {
    const kills = { processes, kills: 50, blocks, seed: 3, timeoutMs, delayMs: 500 }
    const facts = await runWithKills(stage, kills)
    const report = await stage.check()
    assert.ok(report.ok, formatReport(report))
    assert.equal(report.blocks, blocks + 1)
    assert.deepEqual(await stage.derived.leases(), [])
    assert.deepEqual(await stage.derived.errors(), [])
    const rows = report.tables.reduce((sum, { rowsFound }) => sum + rowsFound, 0)
    return { processes, blocks, ...facts, "rows compared": rows, tables: "equal" }
  } finally {
    await stage.close()
  }
}

/** Indexes the chain from a lying node again and again, on a new store each time, until it lied often enough. */
async function lieLong(postgres: PrivatePostgres, chain: Chain): Promise<Facts> {
  const wanted = 100_000
  const without: DigestOptions = { columns: ["extra"] }
  const faults = everyFault(0.01)
  let answers = 0
  const sums = { served: 0, lies: 0, noise: 0, outages: 0 }
  let expected: unknown
  let runs = 0
  for (; answers < wanted; runs++) {
    const node = await startHostileRpc({ seed: 100 + runs, chain, hugeBodyBytes: 3_000_000, dripMs: 300 })
    const env = {
      RPC_BATCH_BLOCKS: "2",
      RANGE_SIZE: "10",
      RPC_TIMEOUT_MS: "500",
      RPC_MAX_RESPONSE_BYTES: "2000000",
    }
    const stage = await Stage.open({ postgres, rpcUrl: node.url, env })
    open.add(stage)
    try {
      await pinHonestly(stage, node)
      expected ??= await undisturbed({ postgres, rpcUrl: node.url }, chain.options.blocks, without)
      node.setFaults(faults)
      for (let i = 0; i < 3; i++) stage.start()
      await stage.complete(chain.options.blocks + 1, timeoutMs)
      assert.deepEqual(await stage.digest(without), expected)
      const facts = countFaults(node, faults)
      for (const kind of ["served", "lies", "noise", "outages"] as const) sums[kind] += facts[kind]
      answers += node.requests()
      console.log(`lies: ${answers} of ${wanted} responses, ${sums.lies} of them lies, no bad block`)
    } finally {
      await stage.close()
      await node.stop()
    }
  }
  return { processes: 3, runs, responses: answers, ...sums, "bad blocks stored": 0, tables: "equal" }
}

/** Derived tables too: against what the independent checker makes of raw. */
async function reorgLong(
  postgres: PrivatePostgres,
  { twoDatabases, seed }: { twoDatabases: boolean; seed: number },
): Promise<Facts> {
  const history = 1_000
  const reorgs = Number(given.count)
  const chain = createChain({ blocks: 100_000, transactionsPerBlock: 2, logsPerBlock: 4, holders: 500 })
  const node = await startTamperingNode(() => undefined)
  const stage = await Stage.open({
    postgres,
    rpcUrl: node.url,
    roles: "ingest,work",
    twoDatabases,
    env: { RANGE_SIZE: "100", RPC_BATCH_BLOCKS: "10", REORG_CONFIRM_MS: "100", POLL_INTERVAL_MS: "50" },
  })
  open.add(stage)
  try {
    const facts = await runWithReorgs(stage, {
      ...{ node, chain, history, reorgs, seed, timeoutMs },
      processes: 2,
      reorgsPerKill: 20,
      say: (text) => console.log(`reorgs: ${text}`),
    })
    const { storedMs, derivedMs, head, ...counts } = facts
    const expected = await undisturbed({ postgres, rpcUrl: node.url }, head)
    assert.deepEqual(await stage.digest(), expected)
    const report = await stage.check()
    assert.ok(report.ok, formatReport(report))
    assert.deepEqual(stage.complaints(), [])
    const times = (ms: readonly number[]): string =>
      [0.5, 0.95, 1].map((part) => Math.round(quantile(ms, part))).join(" / ")
    return {
      processes: 2,
      blocks: head,
      databases: twoDatabases ? 2 : 1,
      ...counts,
      "stored ms": times(storedMs),
      "derived ms": times(derivedMs),
      "rows compared":
        total(expected.rows) + report.tables.reduce((sum, { rowsFound }) => sum + rowsFound, 0),
      tables: "equal",
    }
  } finally {
    await stage.close()
    await node.stop()
  }
}

const total = (rows: Readonly<Record<string, number>>): number =>
  Object.values(rows).reduce((sum, n) => sum + n, 0)

const chosen = named.length > 0 ? named : Object.keys(proofs)
for (const name of chosen)
  assert.ok(name in proofs, `${name} is no proof; there are ${Object.keys(proofs).join(", ")}`)
const node = await spawnChainServer(size)
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, async () => {
    for (const stage of open) await stage.close()
    await server?.remove()
    process.exit(1)
  })
}
const results: Record<string, Facts> = {}
let failed = 0
for (const name of chosen) {
  const postgres = await startPrivatePostgres()
  server = postgres
  const began = performance.now()
  console.log(`${name}: running`)
  try {
    results[name] = { ...(await proofs[name]!({ postgres, node })), seconds: seconds(began) }
  } catch (error) {
    failed++
    console.error(error)
    results[name] = { tables: "NOT PROVEN", seconds: seconds(began) }
  }
  await postgres.remove()
}
await node.stop()
console.log(
  `\nblocks have ${size.transactionsPerBlock} transactions and about ${size.logsPerBlock} logs; leases last 2 s`,
)
for (const [name, facts] of Object.entries(results)) {
  console.log(`\n${name}`)
  for (const [fact, value] of Object.entries(facts)) console.log(`  ${fact.padEnd(18)} ${value}`)
}
process.exitCode = failed === 0 ? 0 : 1

function seconds(began: number): number {
  return Math.round((performance.now() - began) / 1_000)
}
