// Compares the stored blocks with another node. A hash identifies its block and, through the parent hashes, all
// blocks below. So one header is enough for a linked stretch; more are fetched only where it differs. Blocks that
// differ are fetched whole and compared field by field.

import type { BlockRange } from "../domain/block-range.js"
import { rangeSet } from "../domain/range-set.js"
import { IndexerError } from "../platform/errors.js"
import type { Connection } from "../postgres/connection.js"
import { heightFrom } from "../postgres/postgres-error.js"
import { type CompareDeps, compareBlocks } from "./compare-blocks.js"
import { type Finding, oneBlock } from "./finding.js"
import { hex, type PieceOptions, rawHeights } from "./raw-piece.js"

interface StoredBlock {
  readonly height: number
  readonly hash: string
  readonly parentHash: string
}

const headersPerRequest = 100
const wholeBlocksAtOnce = 100

export async function checkNode(
  deps: CompareDeps,
  {
    range,
    limit,
    whole = false,
  }: PieceOptions & { /** Compare every block, not only those whose hash differs. */ whole?: boolean },
): Promise<Finding[]> {
  const blocks = await storedBlocks(deps.tx, range)
  const ask = asker(deps)
  const findings: Finding[] = []
  const differing: number[] = []
  for (const stretch of linkedStretches(blocks)) {
    for (const block of await fromFirstDifferent(ask, stretch)) {
      if (findings.length + differing.length >= limit) break
      const hash = await ask(block.height)
      if (hash === null) findings.push(missingOnNode(block))
      else if (hash !== block.hash) differing.push(block.height)
    }
  }
  const ranges = rangeSet((whole ? blocks.map(({ height }) => height) : differing).map(oneBlock))
  const compared = await compareBlocks(deps, { ranges: ranges.flatMap(inPieces), limit })
  return [...findings, ...compared].slice(0, limit)
}

async function storedBlocks(tx: Connection, range: BlockRange): Promise<StoredBlock[]> {
  const { rows } = await tx.query<{ height: string; hash: Buffer; parent_hash: Buffer }>(
    `select height, hash, parent_hash from raw.blocks
     where height >= $1 and height < $2 and ${rawHeights} @> height order by height`,
    [range.from, range.to],
  )
  return rows.map((row) => ({
    height: heightFrom(row.height),
    hash: hex(row.hash),
    parentHash: hex(row.parent_hash),
  }))
}

function linkedStretches(blocks: readonly StoredBlock[]): StoredBlock[][] {
  const stretches: StoredBlock[][] = []
  for (const block of blocks) {
    const stretch = stretches.at(-1)
    const below = stretch?.at(-1)
    if (below?.height === block.height - 1 && below.hash === block.parentHash) stretch!.push(block)
    else stretches.push([block])
  }
  return stretches
}

type Ask = ((height: number) => Promise<string | null>) & {
  all(heights: readonly number[]): Promise<void>
}

/** Caches the answers, so that each header is fetched once. */
function asker({ source, signal }: CompareDeps): Ask {
  const known = new Map<number, string | null>()
  const all = async (heights: readonly number[]): Promise<void> => {
    const open = heights.filter((height) => !known.has(height))
    for (let at = 0; at < open.length; at += headersPerRequest) {
      const some = open.slice(at, at + headersPerRequest)
      const [answer] = await source.hashesByProvider(some, { signal })
      if (!answer) throw new IndexerError("RPC_NO_PROVIDER", "the node to compare with did not answer")
      for (const [i, height] of some.entries()) known.set(height, answer.hashes[i] ?? null)
    }
  }
  const ask = async (height: number): Promise<string | null> => {
    await all([height])
    return known.get(height) ?? null
  }
  return Object.assign(ask, { all })
}

/**
 * The blocks of a linked stretch from the first one that differs on the node, by binary search: below a block that is
 * the same, all are the same. Fetches the headers of all blocks that it returns.
 */
async function fromFirstDifferent(ask: Ask, stretch: readonly StoredBlock[]): Promise<readonly StoredBlock[]> {
  const isSame = async (at: number): Promise<boolean> => (await ask(stretch[at]!.height)) === stretch[at]!.hash
  const last = stretch.length - 1
  if (await isSame(last)) return []
  let [same, other] = [-1, last]
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2)
    if (await isSame(middle)) same = middle
    else other = middle
  }
  const differing = stretch.slice(other)
  await ask.all(differing.map(({ height }) => height))
  return differing
}

function inPieces({ from, to }: BlockRange): BlockRange[] {
  const pieces: BlockRange[] = []
  for (let at = from; at < to; at += wholeBlocksAtOnce)
    pieces.push({ from: at, to: Math.min(to, at + wholeBlocksAtOnce) })
  return pieces
}

const missingOnNode = ({ height, hash }: StoredBlock): Finding => ({
  check: "node",
  table: "raw.blocks",
  heights: oneBlock(height),
  found: hash,
  message: `block ${height} is stored as ${hash}, but the node has no block there`,
  remedy: { kind: "none", advice: "check whether that node is behind or pruned" },
})
