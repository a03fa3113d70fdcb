// Every kind of fault in one run, at random and on top of each other, for as long as one likes: the chain grows and turns, processes are
// killed and stopped, the server crashes, connections are cut, the node is away or gives half of its answers.

import assert from "node:assert/strict"
import { type Chain, createChain } from "../../../test/chain/synthetic-chain.js"
import type { RpcCall } from "../../../test/support/hostile/rpc-shapes.js"
import { seededRandom } from "../../../test/support/seeded-random.js"
import { pause } from "../../../test/support/wait-until.js"
import { compareAll } from "../compare.js"
import { healWithinMs } from "../heal-within.js"
import { residentMb } from "../resident-mb.js"
import type { Scenario } from "../scenario.js"
import { leaseMs } from "../stage.js"

/**
 * Beside the witness, which is stopped like the others but never killed: its memory and what it says are looked at
 * throughout.
 */
const processes = 2
/** As many as one process with all roles takes. */
const connectionsEach = 12
/** Runs that are shorter meet too little of each kind, and memory that still settles. */
const longMinutes = 10
const flat = 1.25
const callsPerSecond = 200
const finalBelowHead = 80
const sayEvery = 50

/** How often each comes up, compared with the others. */
const faults = { reorganised: 4, stopped: 3, killed: 2, crashed: 1, cut: 2, nodeAway: 2, nodeLied: 2 }
type FaultKind = keyof typeof faults
const faultKinds = Object.keys(faults) as FaultKind[]

export const soak: Scenario = {
  name: "soak",
  fault: "every kind of fault at random, on top of each other; counted in minutes",
  count: { quick: 0.5, full: 30 },
  byHand: true,
  async run(scene) {
    const { count: minutes, seed } = scene
    const lastsMs = minutes * 60_000
    const random = seededRandom(seed)
    let chain: Chain = createChain({
      ...{ blocks: 100_000, transactionsPerBlock: 2, logsPerBlock: 6, holders: 500, tokenIds: 1 },
    })
    const node = await scene.tamperingNode(() => undefined)
    const postgres = await scene.postgres()
    const stage = await scene.stage({
      ...{ postgres, rpcUrl: node.url, roles: "ingest,work" },
      env: {
        ...{ RANGE_SIZE: "50", RPC_BATCH_BLOCKS: "5", REORG_CONFIRM_MS: "100", POLL_INTERVAL_MS: "100" },
        RPC_MAX_RPS: String(callsPerSecond),
      },
    })
    // History is filled for most of the time.
    let finalized = minutes * 400
    let head = finalized + 40
    const reorganise = (): void => {
      finalized = Math.max(finalized, head - finalBelowHead)
      const view = { chain, head, finalized }
      node.view = () => view
    }
    reorganise()
    const witness = stage.start()
    for (let i = 0; i < processes; i++) stage.start()
    await stage.until(async () => (await stage.probe.hashAt(head)) === chain.hashAt(head), {
      ...{ what: "the first head", timeoutMs: 120_000 },
    })

    const stops: Promise<void>[] = []
    const makeFault: Record<FaultKind, () => Promise<void>> = {
      reorganised: async () => {
        const at = Math.max(finalized + 1, head - random.below(random.next() < 0.7 ? 6 : 60))
        chain = chain.fork({ at, seed: seed * 1_000_000 + total() })
        if (random.next() < 0.25) head = Math.max(at, head - random.below(5))
      },
      stopped: async () => {
        const victim = stage.members[random.below(stage.members.length)]!
        const stoppedMs = leaseMs * (0.5 + random.next() * 2)
        victim.kill("SIGSTOP")
        stops.push(pause(stoppedMs).then(() => victim.kill("SIGCONT")))
      },
      killed: async () => {
        const others = stage.members.filter((member) => member !== witness)
        await stage.replace(others[random.below(others.length)]!)
      },
      crashed: async () => {
        await postgres.stop("immediate")
        await pause(random.next() * 3_000)
        await postgres.start()
      },
      cut: async () => {
        await stage.probe.rows(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name like 'tidemark%' and random() < 0.5`,
        )
      },
      nodeAway: async () => {
        node.view = () => undefined
        await pause(500 + random.next() * 2_500)
      },
      nodeLied: async () => {
        node.tamper = (call, result) => (random.next() < 0.3 ? lie(call, result) : undefined)
        await pause(1_000 + random.next() * 2_000)
        node.tamper = () => undefined
      },
    }
    const counts = Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as Record<FaultKind, number>
    const total = (): number => Object.values(counts).reduce((sum, n) => sum + n, 0)
    const lots = faultKinds.flatMap((kind) => Array.from({ length: faults[kind] }, () => kind))
    const began = performance.now()
    const thirds: number[][] = [[], [], []]
    for (let passedMs = 0; passedMs < lastsMs; passedMs = performance.now() - began) {
      head += random.below(4)
      reorganise()
      const kind = lots[random.below(lots.length)]!
      await makeFault[kind]()
      counts[kind]++
      const [gaveUp] = stage.gaveUp()
      if (gaveUp !== undefined) throw new Error(`after ${JSON.stringify(counts)}: ${gaveUp}`)
      reorganise()
      thirds[Math.floor((passedMs / lastsMs) * 3)]!.push(residentMb(witness.pid))
      if (total() % sayEvery === 0)
        scene.say(`${total()} faults in ${Math.round(passedMs / 1_000)} s, head ${head}, ${JSON.stringify(counts)}`)
      await pause(random.next() * 1_500)
    }
    await Promise.all(stops)
    const healing = performance.now()
    const left = head + 1 - (await stage.progress())
    await stage.finish(head + 1, healWithinMs({ blocks: left, callsPerSecond }))
    const healedMs = performance.now() - healing
    const rows = await stage.probe.rows<{ n: number }>(
      `select count(*)::int4 as n from raw.rollbacks
       union all select count(*)::int4 from pg_stat_activity
       where datname = current_database() and application_name like 'tidemark%'`,
    )
    const [rollbacks, connections] = rows.map(({ n }) => n) as [number, number]
    const witnessMb = thirds.map((mb) => Math.max(...mb))
    assert.deepEqual(stage.gaveUp(), [])
    assert.ok(
      connections <= (processes + 1) * connectionsEach,
      `${connections} connections of ${processes + 1} processes`,
    )
    if (minutes >= longMinutes) {
      assert.deepEqual(
        faultKinds.filter((kind) => counts[kind] === 0),
        [],
        "never happened",
      )
      const [, middle, last] = witnessMb as [number, number, number]
      assert.ok(last <= middle * flat, `memory grew: ${witnessMb.join(", ")} MB`)
    }
    const compared = await compareAll(stage, { against: { postgres, rpcUrl: node.url }, head })
    return {
      ...{ times: total(), compared },
      recovery: `all done ${(healedMs / 1_000).toFixed(1)} s after the last`,
      facts: {
        ...{ minutes, blocks: head, ...counts, rollbacks, connections },
        "MB of a process, by thirds": witnessMb.join(", "),
      },
    }
  },
}

/** Half of an answer, or none. */
function lie({ method }: RpcCall, result: unknown): unknown {
  if (method === "eth_getBlockByNumber") return null
  return Array.isArray(result) ? result.slice(0, -1) : undefined
}
