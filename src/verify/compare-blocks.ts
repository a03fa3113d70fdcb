// Compares whole blocks with another node, field by field: fetches them, copies them into temporary tables, and
// compares the rows. A field that the node leaves out is no difference.

import { type BlockRange, formatRange } from "../domain/block-range.js"
import { describeError, isIndexerError } from "../platform/errors.js"
import type { Connection } from "../postgres/connection.js"
import { heightFrom } from "../postgres/postgres-error.js"
import { quoteIdentifier } from "../postgres/quote-identifier.js"
import type { BlockWriter } from "../raw/block-writer.js"
import type { ComparedTable } from "../raw/compared-table.js"
import type { BlockSource } from "../source/block-source.js"
import { compareRows, describeDifference, temporarySchema } from "./compare-rows.js"
import { damagedBlock, type Finding } from "./finding.js"

export interface CompareDeps {
  readonly tx: Connection
  readonly source: Pick<BlockSource, "hashesByProvider" | "fetchRange">
  readonly family: ComparedFamily
  readonly signal: AbortSignal
}

/** What a chain family says about its blocks as rows. */
export interface ComparedFamily {
  readonly comparedTables: readonly ComparedTable[]
  createWriter(): BlockWriter
}

/** The caller's transaction drops the temporary tables when it ends. */
export async function compareBlocks(
  deps: CompareDeps,
  { ranges, limit }: { ranges: readonly BlockRange[]; limit: number },
): Promise<Finding[]> {
  const { tx, family } = deps
  for (const { name } of family.comparedTables) {
    const table = quoteIdentifier(name)
    await tx.query(
      `create temporary table if not exists ${table} (like ${quoteIdentifier("raw", name)}) on commit drop`,
    )
    await tx.query(`truncate ${quoteIdentifier(temporarySchema, name)}`)
  }
  const findings: Finding[] = []
  for (const range of ranges) {
    const fault = await fetchInto(deps, range)
    if (fault) {
      findings.push(fault)
      continue
    }
    for (const { name, ...columns } of family.comparedTables) {
      const room = limit - findings.length
      if (room <= 0) return findings
      const table = { schema: "raw", table: name, ...columns }
      const options = { ...table, heights: [range], nullMatchesAny: true, limit: room }
      for (const difference of await compareRows(tx, options)) {
        const row = { table: `raw.${name}`, key: columns.key, origin: "the node" }
        const height = heightFrom((difference.expected ?? difference.found)![columns.height]!)
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
