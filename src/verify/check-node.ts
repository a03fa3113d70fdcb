// The stored blocks against another node, by hash. A hash speaks for the whole block, and the other checks for what is stored under it.

import { createHash } from "node:crypto"
import { IndexerError } from "../platform/errors.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import type { BlockSource } from "../source/block-source.js"
import { type Finding, oneBlock, refetchBlock } from "./finding.js"
import { hex, type PieceOptions, rawHeights } from "./raw-piece.js"

const headersPerRequest = 100

export async function checkNode(
  {
    tx,
    source,
    signal,
  }: { tx: Queryable; source: Pick<BlockSource, "hashesByProvider">; signal: AbortSignal },
  { range, limit }: PieceOptions,
): Promise<Finding[]> {
  const { rows } = await tx.query<{ height: string; hash: Buffer }>(
    `select height, hash from raw.blocks where height >= $1 and height < $2 and ${rawHeights} @> height order by height`,
    [range.from, range.to],
  )
  const findings: Finding[] = []
  for (let at = 0; at < rows.length && findings.length < limit; at += headersPerRequest) {
    const stored = rows.slice(at, at + headersPerRequest)
    const heights = stored.map(({ height }) => heightFrom(height))
    const [answer] = await source.hashesByProvider(heights, { signal })
    if (!answer) throw new IndexerError("RPC_NO_PROVIDER", "the node to compare with could not be asked")
    if (digest(stored.map(({ hash }) => hex(hash))) === digest(answer.hashes)) continue
    for (const [i, { hash }] of stored.entries()) {
      const said = answer.hashes[i] ?? null
      if (said !== hex(hash)) findings.push(finding(heights[i]!, { stored: hex(hash), said }))
    }
  }
  return findings.slice(0, limit)
}

const digest = (hashes: readonly (string | null)[]): string =>
  createHash("sha256").update(hashes.join("\n")).digest("hex")

const finding = (height: number, { stored, said }: { stored: string; said: string | null }): Finding => ({
  check: "node",
  table: "raw.blocks",
  heights: oneBlock(height),
  ...(said === null ? {} : { expected: said }),
  found: stored,
  message:
    said === null
      ? `block ${height} is stored as ${stored}, but the node has none there`
      : `block ${height} is stored as ${stored}, but the node has ${said}`,
  remedy:
    said === null
      ? { kind: "none", advice: "see whether that node is behind or pruned" }
      : // Fetched again from the configured nodes: if those are right, the same block comes back.
        refetchBlock(height),
})
