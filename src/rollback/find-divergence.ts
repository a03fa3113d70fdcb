// Finds the lowest stored height, from finality up, whose block has another hash on the node. A stretch of covered
// heights is linked parent to child, so a block that is on the node's chain proves everything below it: a stretch is
// searched by a few probes, however long it is. Reports disagreement between providers instead of resolving it. Above
// a gap, a stored block that no provider has differs if the providers' block below it is not its parent.

import { rawIngester } from "../coordination/raw-ingester.js"
import type { BlockRange } from "../domain/block-range.js"
import { intersect, type RangeSet } from "../domain/range-set.js"
import { IndexerError } from "../platform/errors.js"
import { parseMultirange } from "../postgres/multirange.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import type { BlockSource, FetchOptions } from "../source/block-source.js"

export type Divergence =
  /** isWhole: a provider has the top of every stretch. Else nothing differs as far as they could tell. */
  | { readonly kind: "none"; readonly isWhole: boolean }
  /** Providers disagree: one of them lags, or is on another fork. */
  | { readonly kind: "disputed"; readonly height: number; readonly message: string }
  | {
      readonly kind: "diverged"
      readonly height: number
      /** The chain's block there now, or below it if the chain ends there. */
      readonly hash: string
      readonly message: string
      /** The hash of the stored block below, which stays. */
      readonly ancestorHash: string | null
      /** How many providers agree. */
      readonly providers: number
      readonly epoch: number
      readonly finalized: number | null
    }

interface DivergenceDeps {
  readonly raw: Queryable
  readonly source: Pick<BlockSource, "hashesByProvider">
}

/** In one request to each provider. */
const heightsAtOnce = 100
/** Each has up to three heights in the first request: its ends, and the parent of its first block. */
const stretchesAtOnce = Math.floor(heightsAtOnce / 3)

export async function findDivergence(deps: DivergenceDeps, options: FetchOptions): Promise<Divergence> {
  const { raw } = deps
  const {
    rows: [state],
  } = await raw.query<{
    chain_epoch: string
    finalized_height: string | null
    start_height: string
    heights: string | null
  }>(
    `select chain_epoch, finalized_height, start_height,
       (select heights::text from raw.coverage where worker_type = $1) as heights
     from raw.chain_state`,
    [rawIngester],
  )
  if (!state) return { kind: "none", isWhole: true }
  const finalized = state.finalized_height === null ? null : heightFrom(state.finalized_height)
  const from = Math.max(finalized ?? 0, heightFrom(state.start_height))
  const heights = parseMultirange(state.heights ?? "{}")
  const stretches = intersect(heights, [{ from, to: Number.MAX_SAFE_INTEGER }])
  const search = new StretchSearch(deps, options)
  for (let at = 0; at < stretches.length; at += stretchesAtOnce) {
    const found = await search.lowest(stretches.slice(at, at + stretchesAtOnce), { from })
    if (!found) continue
    if (found.kind === "disputed") return found
    const ancestorHash = await hashBelow(raw, { heights, height: found.height })
    return { ...found, ancestorHash, epoch: Number(state.chain_epoch), finalized }
  }
  return { kind: "none", isWhole: stretches.every(({ to }) => search.agreed.has(to - 1)) }
}

type Difference =
  | (Divergence & { kind: "disputed" })
  | Omit<Divergence & { kind: "diverged" }, "ancestorHash" | "epoch" | "finalized">

interface ComparedHeight {
  readonly height: number
  /** Undefined: a rollback came in between. */
  readonly stored: { readonly hash: string; readonly parentHash: string } | undefined
  /** By provider that answered; null where it has no such block. */
  readonly hashes: ReadonlyMap<string, string | null>
}

class StretchSearch {
  /** Heights whose stored block a provider has. */
  readonly agreed = new Set<number>()

  constructor(
    private readonly deps: DivergenceDeps,
    private readonly options: FetchOptions,
  ) {}

  async lowest(stretches: RangeSet, { from }: { from: number }): Promise<Difference | undefined> {
    const ends = stretches.flatMap((stretch) => [stretch.from, stretch.to - 1])
    const belowGaps = stretches.filter((stretch) => stretch.from > from).map((stretch) => stretch.from - 1)
    const compared = await this.compare([...new Set([...ends, ...belowGaps])])
    for (const stretch of stretches) {
      const first = compared.get(stretch.from)!
      const found =
        judge(first) ??
        judgeParent(first, compared.get(stretch.from - 1)) ??
        (await this.between(first, compared.get(stretch.to - 1)!))
      if (found) return found
    }
    return undefined
  }

  /** In (low, high], of which everything up to low is known not to differ. */
  private async between(low: ComparedHeight, high: ComparedHeight): Promise<Difference | undefined> {
    if (high.height <= low.height || !mayDiffer(low, high)) return undefined
    if (high.height - low.height === 1) return judge(high)
    const compared = await this.compare(probes({ from: low.height + 1, to: high.height }))
    let before = low
    for (const next of [...compared.values(), high]) {
      const found = await this.between(before, next)
      if (found) return found
      before = next
    }
    return undefined
  }

  /** In the order of the heights. */
  private async compare(heights: readonly number[]): Promise<ReadonlyMap<number, ComparedHeight>> {
    const { raw, source } = this.deps
    const { rows } = await raw.query<{ height: string; hash: Buffer; parent_hash: Buffer }>(
      "select height, hash, parent_hash from raw.blocks where height = any ($1::int8[])",
      [heights],
    )
    const stored = new Map(
      rows.map((row) => [heightFrom(row.height), { hash: hex(row.hash), parentHash: hex(row.parent_hash) }]),
    )
    const answers = await source.hashesByProvider(heights, this.options)
    if (answers.length === 0) throw new IndexerError("RPC_NO_PROVIDER", "no provider answered a request for hashes")
    return new Map(
      heights.map((height, at) => {
        const hashes = new Map(answers.map((answer) => [answer.provider, answer.hashes[at] ?? null]))
        const own = stored.get(height)
        if (own && [...hashes.values()].includes(own.hash)) this.agreed.add(height)
        return [height, { height, stored: own, hashes }]
      }),
    )
  }
}

/** Whether a height above `low` may differ: `high` does, or a provider's chain ends between the two. */
const mayDiffer = (low: ComparedHeight, high: ComparedHeight): boolean =>
  [...high.hashes].some(([provider, hash]) =>
    hash === null ? low.hashes.get(provider) !== null : hash !== high.stored?.hash,
  )

/** Evenly spread, all of them if they are few. */
function probes({ from, to }: BlockRange): number[] {
  const count = Math.min(heightsAtOnce, to - from)
  return Array.from({ length: count }, (_, at) => from + Math.floor(((to - from) * at) / count))
}

function judge({ height, stored, hashes }: ComparedHeight): Difference | undefined {
  if (!stored) {
    return { kind: "disputed", height, message: `block ${height} was rolled back while it was compared` }
  }
  return decide({ height, asked: height, expected: stored.hash, hashes })
}

/** For a block that no provider has: the chain may have become shorter, and end in the gap below it. */
function judgeParent(
  { height, stored, hashes }: ComparedHeight,
  below: ComparedHeight | undefined,
): Difference | undefined {
  if (!stored || !below || [...hashes.values()].some((hash) => hash !== null)) return undefined
  return decide({ height, asked: height - 1, expected: stored.parentHash, hashes: below.hashes })
}

function decide({
  height,
  asked,
  expected,
  hashes: answers,
}: {
  height: number
  asked: number
  expected: string
  hashes: ReadonlyMap<string, string | null>
}): Difference | undefined {
  // A provider without a block at that height does not count.
  const hashes = [...answers.values()].filter((hash) => hash !== null)
  const other = hashes.filter((hash) => hash !== expected)
  if (other.length === 0) return undefined
  if (other.length < hashes.length || new Set(other).size > 1) {
    const answered = [...new Set(hashes)].join(", ")
    const message = `providers disagree about block ${asked}: ${answered}; stored is ${expected}`
    return { kind: "disputed", height, message }
  }
  const message =
    asked === height
      ? `the node has ${other[0]} at block ${height}, not the stored one`
      : `the node has ${other[0]} at block ${asked}, and the stored block ${height} does not follow it`
  return { kind: "diverged", height, hash: other[0]!, message, providers: other.length }
}

async function hashBelow(
  raw: Queryable,
  { heights, height }: { heights: RangeSet; height: number },
): Promise<string | null> {
  const below = intersect(heights, [{ from: 0, to: height }]).at(-1)
  if (!below) return null
  const { rows } = await raw.query<{ hash: Buffer }>("select hash from raw.blocks where height = $1", [below.to - 1])
  return rows[0] ? hex(rows[0].hash) : null
}

const hex = (hash: Buffer): string => `0x${hash.toString("hex")}`
