// A commit with rows and folds, as the product makes it: its own derivation of a range, over blocks that are drawn and not read.

import type { FencedCommits } from "../../../src/coordination/fenced-commits.js"
import type { Lease } from "../../../src/coordination/lease-store.js"
import { rawIngester } from "../../../src/coordination/raw-ingester.js"
import type { BlockRange } from "../../../src/domain/block-range.js"
import type { BlockView } from "../../../src/families/evm/raw/block-view.js"
import { systemClock } from "../../../src/platform/clock.js"
import type { Queryable } from "../../../src/postgres/transaction.js"
import { deriveGroup } from "../../../src/workers/derive-group.js"
import { DeriveProgress } from "../../../src/workers/derive-progress.js"
import type { EmittedRows } from "../../../src/workers/derived-store.js"
import type { RawReader } from "../../../src/workers/raw-range.js"
import { zeroAccount } from "../sim-chain.js"
import { SimRandom } from "../sim-random.js"
import { simRegistry, simWorkerNames } from "../sim-workers.js"
import { doneAtFirst, type Side, type State } from "./sides.js"

/** Few, and small amounts: ranges meet in their keys, and extremes in their values. */
const accounts = [zeroAccount, "a", "b", "c", "d"]
const transfersMost = 2
const amountMost = 4

interface Derivation {
  /** Of one range. Those of raw are completed with the others, and write nothing. */
  readonly leases: readonly Lease[]
  readonly salt: number
}

type Commits = Pick<FencedCommits<Queryable>, "commitGroup">

interface DerivingSide extends Pick<Side, "store"> {
  readonly leases: Commits
}

/** Who committed, and how many rows. */
export async function deriveRows(
  { store, leases: all }: DerivingSide,
  { leases, salt }: Derivation,
): Promise<unknown> {
  const workers = leases.filter(({ worker }) => simRegistry.worker(worker))
  if (workers.length === 0) return "none"
  const others = leases.filter((lease) => !workers.includes(lease))
  const commitGroup: Commits["commitGroup"] = (given, work) => all.commitGroup([...others, ...given], work)
  const { committed, totals } = await deriveGroup<Queryable, EmittedRows>(
    {
      commits: { commitGroup },
      ...{ store, registry: simRegistry, raw: drawnBlocks(salt), clock: systemClock },
      sinks: new Map(workers.map(({ worker }) => [worker, store.createSink(worker)])),
      progress: new DeriveProgress(),
    },
    { leases: workers, signal: new AbortController().signal },
  )
  return { committed: committed.map(({ worker }) => worker), rows: totals.rows }
}

/** What is held of its range: one of each worker, dependencies first. */
export const withSameRange = (held: readonly Lease[], { range: { from, to } }: Lease): readonly Lease[] =>
  [rawIngester, ...simWorkerNames].flatMap((worker) => {
    const found = held.findLast(
      (lease) => lease.worker === worker && lease.range.from === from && lease.range.to === to,
    )
    return found ? [found] : []
  })

/** Rows and states behind the coverage that a sequence begins with. */
export async function deriveFirst({ store, sql }: Side, state: State): Promise<void> {
  const ranges = doneAtFirst(state).flatMap(({ worker, heights }) =>
    simWorkerNames.includes(worker) ? heights.map((range) => ({ worker, range }) as Lease) : [],
  )
  if (ranges.length === 0) return
  await sql.transaction(async (tx) => {
    const commitGroup: Commits["commitGroup"] = async (_, work) => {
      await work.write(tx)
      await work.apply?.(tx)
    }
    for (const lease of ranges)
      await deriveRows({ store, leases: { commitGroup } }, { leases: [lease], salt: state.seed })
  })
}

const drawnBlocks = (salt: number): RawReader => ({
  open: async (range) => {
    let blocks: readonly BlockView[] | undefined = blocksOf(range, salt)
    return {
      chainEpoch: Number.POSITIVE_INFINITY,
      next: async () => {
        const next = blocks
        blocks = undefined
        return next
      },
      close: async () => undefined,
    }
  },
})

const blocksOf = ({ from, to }: BlockRange, salt: number): readonly BlockView[] =>
  Array.from({ length: to - from }, (_, at) => {
    const height = from + at
    const random = new SimRandom(salt * 6_007 + height)
    const transfers = Array.from({ length: random.between(0, transfersMost) }, () => ({
      sender: random.pick(accounts),
      receiver: random.pick(accounts),
      amount: random.between(1, amountMost),
    }))
    return { height, hash: `0x${salt.toString(16)}`, transfers, events: [] } as unknown as BlockView
  })
