// Compares whole blocks with another node, field by field: fetches them, copies them into temporary tables, and
// compares the rows. A field that the node leaves out is no difference.

import { type BlockRange, formatRange } from "../domain/block-range.js"
import type { ChainFamily } from "../families/chain-family.js"
import { describeError, isIndexerError } from "../platform/errors.js"
import type { Connection } from "../postgres/connection.js"
import { heightFrom } from "../postgres/postgres-error.js"
import { quoteIdentifier } from "../postgres/quote-identifier.js"
import type { BlockSource } from "../source/block-source.js"
import { compareRows, describeDifference, temporarySchema } from "./compare-rows.js"
import { damagedBlock, type Finding } from "./finding.js"

export interface CompareDeps {
  readonly tx: Connection
  readonly source: Pick<BlockSource, "hashesByProvider" | "fetchRange">
  readonly family: Pick<ChainFamily, "rawTables" | "createWriter">
  readonly signal: AbortSignal
}

/** The caller's transaction drops the temporary tables when it ends. */
export async function compareBlocks(
  deps: CompareDeps,
  { ranges, limit }: { ranges: readonly BlockRange[]; limit: number },
): Promise<Finding[]> {
  const { tx, family } = deps
  for (const { schema, table } of family.rawTables) {
    const stored = quoteIdentifier(schema, table)
    await tx.query(`create temporary table if not exists ${quoteIdentifier(table)} (like ${stored}) on commit drop`)
    await tx.query(`truncate ${quoteIdentifier(temporarySchema, table)}`)
  }
  const findings: Finding[] = []
  for (const range of ranges) {
    const fault = await fetchInto(deps, range)
    if (fault) {
      findings.push(fault)
      continue
    }
    for (const table of family.rawTables) {
      const room = limit - findings.length
      if (room <= 0) return findings
      const options = { ...table, heights: [range], nullMatchesAny: true, limit: room }
      for (const difference of await compareRows(tx, options)) {
        const row = { table: `raw.${table.table}`, key: table.key, origin: "the node" }
        const height = heightFrom((difference.expected ?? difference.found)![table.height]!)
        // The configured nodes serve the repair: if the stored block is right, the same block comes back.
        findings.push(damagedBlock(height, { check: "node", ...describeDifference(difference, row) }))
      }
    }
  }
  return findings
}

/** Copies the node's blocks into the temporary tables, or returns why it could not. */
async function fetchInto(
  { tx, source, family, signal }: CompareDeps,
  range: BlockRange,
): Promise<Finding | undefined> {
  const writer = family.createWriter()
  try {
    for await (const blocks of source.fetchRange(range, { signal })) {
      for (const block of blocks) writer.add(block)
      await writer.flush(tx, { schema: temporarySchema, lookups: false })
    }
    return undefined
  } catch (error) {
    if (signal.aborted || !isIndexerError(error) || error.code.startsWith("DATABASE")) throw error
    return {
      check: "node",
      table: "raw.blocks",
      heights: range,
      message: `cannot fetch the blocks ${formatRange(range)} from the node to compare with: ${describeError(error)}`,
      remedy: { kind: "none", advice: "compare with another node" },
    }
  }
}
