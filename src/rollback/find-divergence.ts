// Finds the lowest stored height whose block has another hash on the node. Compares everything stored from finality
// up, since an old block may lie below a gap. Reports disagreement between providers instead of resolving it. Above a
// gap, a stored block that no provider has differs if the providers' block below it is not its parent.

import { rawIngester } from "../coordination/raw-ingester.js"
import { IndexerError } from "../platform/errors.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import type { BlockSource, FetchOptions } from "../source/block-source.js"

export type Divergence =
  | { readonly kind: "none" }
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

const heightsAtOnce = 100

export async function findDivergence(
  { raw, source }: { raw: Queryable; source: Pick<BlockSource, "hashesByProvider"> },
  options: FetchOptions,
): Promise<Divergence> {
  const {
    rows: [state],
  } = await raw.query<{ chain_epoch: string; finalized_height: string | null; start_height: string }>(
    "select chain_epoch, finalized_height, start_height from raw.chain_state",
  )
  if (!state) return { kind: "none" }
  const finalized = state.finalized_height === null ? null : heightFrom(state.finalized_height)
  let from = Math.max(finalized ?? 0, heightFrom(state.start_height))
  let below: string | null = await storedHash(raw, from - 1)
  for (;;) {
    const stored = await storedFrom(raw, from)
    if (stored.length === 0) return { kind: "none" }
    // The chain may have become shorter, and end in the gap below these: then only their parents show that they lost.
    const aboveGap = stored.filter(({ height }, at) => height > from && stored[at - 1]?.height !== height - 1)
    const heights = [...stored.map(({ height }) => height), ...aboveGap.map(({ height }) => height - 1)]
    const answers = await source.hashesByProvider(heights, options)
    if (answers.length === 0) throw new IndexerError("RPC_NO_PROVIDER", "no provider answered a request for hashes")
    // A provider without a block at that height does not count.
    const hashesAt = (at: number) => answers.map(({ hashes }) => hashes[at] ?? null).filter((one) => one !== null)
    for (const [at, block] of stored.entries()) {
      const { height, hash } = block
      const gap = hashesAt(at).length > 0 ? -1 : aboveGap.indexOf(block)
      const asked = gap < 0 ? height : height - 1
      const expected = gap < 0 ? hash : block.parentHash
      const hashes = hashesAt(gap < 0 ? at : stored.length + gap)
      const other = hashes.filter((one) => one !== expected)
      if (other.length > 0) {
        if (other.length < hashes.length || new Set(other).size > 1) {
          const answered = [...new Set(hashes)].join(", ")
          const message = `providers disagree about block ${asked}: ${answered}; stored is ${expected}`
          return { kind: "disputed", height, message }
        }
        return {
          kind: "diverged",
          height,
          hash: other[0]!,
          message:
            asked === height
              ? `the node has ${other[0]} at block ${height}, not the stored one`
              : `the node has ${other[0]} at block ${asked}, and the stored block ${height} does not follow it`,
          ancestorHash: below,
          providers: other.length,
          epoch: Number(state.chain_epoch),
          finalized,
        }
      }
      below = hash
    }
    from = stored.at(-1)!.height + 1
  }
}

interface StoredBlock {
  readonly height: number
  readonly hash: string
  readonly parentHash: string
}

async function storedFrom(raw: Queryable, from: number): Promise<StoredBlock[]> {
  const { rows } = await raw.query<{ height: string; hash: Buffer; parent_hash: Buffer }>(
    `select height, hash, parent_hash from raw.blocks
     where height >= $1 and (select heights from raw.coverage where worker_type = $2) @> height
     order by height limit $3`,
    [from, rawIngester, heightsAtOnce],
  )
  return rows.map(({ height, hash, parent_hash }) => ({
    height: heightFrom(height),
    hash: `0x${hash.toString("hex")}`,
    parentHash: `0x${parent_hash.toString("hex")}`,
  }))
}

async function storedHash(raw: Queryable, height: number): Promise<string | null> {
  if (height < 0) return null
  const { rows } = await raw.query<{ hash: Buffer }>("select hash from raw.blocks where height = $1", [height])
  return rows[0] ? `0x${rows[0].hash.toString("hex")}` : null
}
