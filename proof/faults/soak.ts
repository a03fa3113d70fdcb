// Every kind of fault in one run, at random and on top of each other, for as long as one likes: the chain grows and turns, processes are
// killed and stopped, the server crashes, connections are cut, the node is away or gives half of its answers.

import type { Chain } from "../../bench/chain/synthetic-chain.js"
import type { RpcCall } from "../../test/support/hostile/rpc-shapes.js"
import type { PrivatePostgres } from "../../test/support/private-postgres.js"
import { seededRandom } from "../../test/support/seeded-random.js"
import type { TamperingNode } from "../../test/support/tampering-node.js"
import { pause, waitUntil } from "../../test/support/wait-until.js"
import { residentMb } from "./resident-mb.js"
import { leaseMs, type Stage } from "./stage.js"

export interface SoakOptions {
  readonly node: TamperingNode
  readonly chain: Chain
  readonly postgres: PrivatePostgres
  /** Final from the beginning. */
  readonly history: number
  /** Beside the witness, which is stopped like the others but never killed: its memory and what it says are looked at throughout. */
  readonly processes: number
  readonly lastsMs: number
  readonly seed: number
  readonly finishWithinMs: (blocks: number) => number
  readonly say?: (text: string) => void
}

/** How often each comes up, compared with the others. */
const faults = { reorganised: 4, stopped: 3, killed: 2, crashed: 1, cut: 2, nodeAway: 2, nodeLied: 2 }
export type FaultKind = keyof typeof faults
export const faultKinds = Object.keys(faults) as FaultKind[]

export interface SoakFacts {
  readonly head: number
  readonly counts: Readonly<Record<FaultKind, number>>
  readonly rollbacks: number
  /** Of the witness, the most in each third of the run. */
  readonly witnessMb: readonly number[]
  /** Of all processes, once all was well again. */
  readonly connections: number
  /** From the last fault until everything was done. */
  readonly healedMs: number
}

const finalBelowHead = 80
const sayEvery = 50

export async function soak(stage: Stage, options: SoakOptions): Promise<SoakFacts> {
  const { node, postgres, history, processes, lastsMs, seed, finishWithinMs, say } = options
  const random = seededRandom(seed)
  const below = (n: number): number => Math.floor(random.next() * n)
  let { chain } = options
  let finalized = history
  let head = history + 40
  const turn = (): void => {
    finalized = Math.max(finalized, head - finalBelowHead)
    const view = { chain, head, finalized }
    node.view = () => view
  }
  turn()
  const witness = stage.start()
  for (let i = 0; i < processes; i++) stage.start()
  await waitUntil(async () => (await stage.probe.hashAt(head)) === chain.hashAt(head), {
    ...{ what: "the first head", timeoutMs: 120_000 },
  })

  const stops: Promise<void>[] = []
  const makeFault: Record<FaultKind, () => Promise<void>> = {
    reorganised: async () => {
      const at = Math.max(finalized + 1, head - below(random.next() < 0.7 ? 6 : 60))
      chain = chain.fork({ at, seed: seed * 1_000_000 + total() })
      if (random.next() < 0.25) head = Math.max(at, head - below(5))
    },
    stopped: async () => {
      const victim = stage.members[below(stage.members.length)]!
      const stoppedMs = leaseMs * (0.5 + random.next() * 2)
      victim.kill("SIGSTOP")
      stops.push(pause(stoppedMs).then(() => victim.kill("SIGCONT")))
    },
    killed: async () => {
      const others = stage.members.filter((member) => member !== witness)
      const victim = others[below(others.length)]!
      victim.kill("SIGKILL")
      await victim.exit
      stage.start()
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
    head += below(4)
    turn()
    const kind = lots[below(lots.length)]!
    await makeFault[kind]()
    counts[kind]++
    const [gaveUp] = stage.gaveUp()
    if (gaveUp !== undefined) throw new Error(`after ${JSON.stringify(counts)}: ${gaveUp}`)
    turn()
    thirds[Math.floor((passedMs / lastsMs) * 3)]!.push(residentMb(witness.pid))
    if (total() % sayEvery === 0)
      say?.(`${total()} faults in ${Math.round(passedMs / 1_000)} s, head ${head}, ${JSON.stringify(counts)}`)
    await pause(random.next() * 1_500)
  }
  await Promise.all(stops)
  const healing = performance.now()
  await stage.finish(head + 1, finishWithinMs(head + 1 - (await stage.progress())))
  const healedMs = performance.now() - healing
  const rows = await stage.probe.rows<{ n: number }>(
    `select count(*)::int4 as n from raw.rollbacks
     union all select count(*)::int4 from pg_stat_activity
     where datname = current_database() and application_name like 'tidemark%'`,
  )
  const [rollbacks, connections] = rows.map(({ n }) => n) as [number, number]
  return { head, counts, rollbacks, connections, healedMs, witnessMb: thirds.map((mb) => Math.max(...mb)) }
}

/** Half of an answer, or none. */
function lie({ method }: RpcCall, result: unknown): unknown {
  if (method === "eth_getBlockByNumber") return null
  return Array.isArray(result) ? result.slice(0, -1) : undefined
}
