// What an answer's meta means for who reads it. A gap at the very head is the block that is being indexed, not a hole.

import type { Meta } from "tidemark/client"

export type Completeness =
  | { readonly level: "complete"; readonly upTo: string; readonly behind: bigint }
  | { readonly level: "partial"; readonly upTo: string | null; readonly gaps: number; readonly missing: bigint }
  | { readonly level: "missing" }

export type Scope = Pick<Meta, "data_watermark" | "coverage" | "gaps">

export function completenessOf({ data_watermark: watermark, coverage, gaps }: Scope): Completeness {
  const missing = gaps.reduce((sum, { from, to }) => sum + BigInt(to) - BigInt(from), 0n)
  if (coverage.length === 0) return { level: "missing" }
  const isBroken = coverage.length > 1 || gaps.some(({ from }) => BigInt(from) < BigInt(coverage[0]!.from))
  if (watermark !== null && !isBroken) return { level: "complete", upTo: watermark, behind: missing }
  return { level: "partial", upTo: watermark, gaps: gaps.length, missing }
}
