// Blocks whole against another node, field by field: fetched from it, copied into temporary tables, and compared row by row.
// What one node says and another leaves out is no difference.

import type { BlockRange } from "../domain/block-range.js"
import { describeError, isIndexerError } from "../platform/errors.js"
import type { Connection } from "../postgres/connection.js"
import { heightFrom } from "../postgres/postgres-error.js"
import { quoteIdentifier } from "../postgres/quote-identifier.js"
import type { BlockWriter } from "../raw/block-writer.js"
import type { ComparedTable } from "../raw/compared-table.js"
import type { BlockSource } from "../source/block-source.js"
import { type Finding, oneBlock, refetchBlock } from "./finding.js"

const temporary = "pg_temp"
const shownCharacters = 100

export interface CompareDeps {
  readonly tx: Connection
  readonly source: Pick<BlockSource, "fetchRange">
  readonly family: ComparedFamily
  readonly signal: AbortSignal
}

/** What a chain family says of its blocks as rows. */
export interface ComparedFamily {
  readonly comparedTables: readonly ComparedTable[]
  createWriter(): BlockWriter
}

/** Within a transaction that is rolled back, or ends soon: the temporary tables go with it. */
export async function compareBlocks(
  { tx, source, family, signal }: CompareDeps,
  { ranges, limit }: { ranges: readonly BlockRange[]; limit: number },
): Promise<Finding[]> {
  for (const { name } of family.comparedTables) {
    const table = quoteIdentifier(name)
    await tx.query(
      `create temporary table if not exists ${table} (like ${quoteIdentifier("raw", name)}) on commit drop`,
    )
    await tx.query(`truncate ${quoteIdentifier(temporary, name)}`)
  }
  const findings: Finding[] = []
  for (const range of ranges) {
    const fault = await fetchInto({ tx, source, family, signal }, range)
    if (fault) {
      findings.push(fault)
      continue
    }
    for (const table of family.comparedTables) {
      const room = limit - findings.length
      if (room <= 0) return findings
      findings.push(...(await differences(tx, { table, range, limit: room })))
    }
  }
  return findings
}

/** What the node has there, into the temporary tables; or what is wrong with it. */
async function fetchInto(
  { tx, source, family, signal }: CompareDeps,
  range: BlockRange,
): Promise<Finding | undefined> {
  const writer = family.createWriter()
  try {
    for await (const blocks of source.fetchRange(range, { signal })) {
      for (const block of blocks) writer.add(block)
      await writer.flush(tx, { schema: temporary, lookups: false })
    }
    return undefined
  } catch (error) {
    if (signal.aborted || !isIndexerError(error) || error.code.startsWith("DATABASE")) throw error
    return {
      check: "node",
      table: "raw.blocks",
      heights: range,
      message: `the blocks [${range.from}, ${range.to}) could not be had of the node to compare with: ${describeError(error)}`,
      remedy: { kind: "none", advice: "ask another node" },
    }
  }
}

interface DifferenceRow {
  height: string
  key: string[]
  expected: (string | null)[] | null
  found: (string | null)[] | null
}

async function differences(
  tx: Connection,
  { table, range, limit }: { table: ComparedTable; range: BlockRange; limit: number },
): Promise<Finding[]> {
  const names = table.columns
  const columns = names.map((name) => quoteIdentifier(name))
  const texts = (alias: string): string =>
    `array[${columns.map((name) => `${alias}.${name}::text`).join(", ")}]`
  const key = table.key.map((name) => quoteIdentifier(name))
  const height = quoteIdentifier(table.height)
  const rows = (schema: string): string =>
    `(select * from ${quoteIdentifier(schema, table.name)} where ${height} >= $1 and ${height} < $2)`
  const { rows: found } = await tx.query<DifferenceRow>(
    `select coalesce(expected.${height}, found.${height}) as height,
       array[${key.map((name) => `coalesce(expected.${name}, found.${name})::text`).join(", ")}] as key,
       case when expected.${height} is not null then ${texts("expected")} end as expected,
       case when found.${height} is not null then ${texts("found")} end as found
     from ${rows(temporary)} as expected
     full join ${rows("raw")} as found on ${key.map((name) => `expected.${name} = found.${name}`).join(" and ")}
     where expected.${height} is null or found.${height} is null
       or ${columns.map((name) => `(expected.${name} is not null and expected.${name} is distinct from found.${name})`).join(" or ")}
     order by ${key.map((name) => `coalesce(expected.${name}, found.${name})`).join(", ")} limit $3`,
    [range.from, range.to, limit],
  )
  return found.map((row) => asFinding(row, { table, names }))
}

function asFinding(
  row: DifferenceRow,
  { table, names }: { table: ComparedTable; names: readonly string[] },
): Finding {
  const at = heightFrom(row.height)
  const key = Object.fromEntries(table.key.map((name, i) => [name, row.key[i] ?? null]))
  const place = `raw.${table.name} (${table.key.map((name, i) => `${name} ${row.key[i]}`).join(", ")})`
  const differing = names.filter((_, i) => row.expected?.[i] != null && row.expected[i] !== row.found?.[i])
  const said = (side: (string | null)[] | null): string =>
    differing
      .map((name) => `${name} ${(side?.[names.indexOf(name)] ?? "null").slice(0, shownCharacters)}`)
      .join(", ")
  const base = {
    ...({ check: "node", table: `raw.${table.name}`, heights: oneBlock(at), key } as const),
    // From the configured nodes: if those are right, the same block comes back.
    remedy: refetchBlock(at),
  }
  if (!row.found) return { ...base, message: `the row ${place} is missing, but the node has it` }
  if (!row.expected) return { ...base, message: `the row ${place} is none of the node's` }
  const [expected, stored] = [said(row.expected), said(row.found)]
  return { ...base, expected, found: stored, message: `the row ${place} has ${stored}, the node ${expected}` }
}
