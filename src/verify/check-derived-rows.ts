// Derived rows are what their worker makes of the stored blocks: it is asked again, into temporary tables, and the rows are
// compared one by one. Rows it reads of others are taken as they are; those are compared on their own.

import type { BlockRange } from "../domain/block-range.js"
import { containsHeight, intersect, type RangeSet, rangeSet } from "../domain/range-set.js"
import { describeError } from "../platform/errors.js"
import type { Connection } from "../postgres/connection.js"
import { printMultirange } from "../postgres/multirange.js"
import { heightFrom } from "../postgres/postgres-error.js"
import { quoteIdentifier } from "../postgres/quote-identifier.js"
import { PostgresDerivedStore } from "../workers/postgres/postgres-derived-store.js"
import { openSnapshot } from "../workers/postgres/postgres-raw-reader.js"
import type { ReadableBlock, ReadBlocks } from "../workers/raw-range.js"
import { RowSink } from "../workers/row-sink.js"
import type { EventTable, UpstreamRow, WorkerDefinition } from "../workers/worker-definition.js"
import { eventTables } from "../workers/worker-definition.js"
import { type WorkerRegistry, workerSchema } from "../workers/worker-registry.js"
import { type Finding, oneBlock } from "./finding.js"

export interface DerivedRowsOptions {
  /** As declared in this process: what the database knows has no extract. */
  readonly registry: WorkerRegistry
  readonly readBlocks: ReadBlocks
  readonly workers: readonly WorkerDefinition[]
  /** What each covers, of heights whose blocks are whole. */
  readonly heights: ReadonlyMap<string, RangeSet>
  readonly limit: number
}

const temporary = "pg_temp"

/** Both connections have a snapshot open; that of app may write temporary tables. */
export async function checkDerivedRows(
  { raw, app }: { raw: Connection; app: Connection },
  { registry, readBlocks, workers, heights, limit }: DerivedRowsOptions,
): Promise<Finding[]> {
  const findings: Finding[] = []
  const sinks = new Map(workers.map((worker) => [worker.name, new RowSink(worker)]))
  const failed = new Set<string>()
  for (const worker of workers) {
    for (const [table] of eventTables(worker)) {
      await app.query(
        `create temporary table ${quoteIdentifier(table)} (like ${quoteIdentifier(workerSchema, table)}) on commit drop`,
      )
    }
  }
  const store = new PostgresDerivedStore(registry)
  const asked = rangeSet([...heights.values()].flat())
  for (const range of asked) {
    const blocks = await openSnapshot(raw, { range, readBlocks })
    for (;;) {
      const piece = await blocks.next()
      if (!piece) break
      for (const worker of workers) {
        if (failed.has(worker.name)) continue
        const mine = piece.filter(({ height }) => containsHeight(heights.get(worker.name) ?? [], height))
        if (mine.length === 0) continue
        const sink = sinks.get(worker.name)!
        const upstream = await readUpstream({ store, app }, { worker, blocks: mine })
        const fault = extract({ worker, sink }, { blocks: mine, upstream })
        if (fault) {
          failed.add(worker.name)
          findings.push(fault)
        } else await sink.flush(app, { schema: temporary })
      }
    }
  }
  for (const worker of workers) {
    if (failed.has(worker.name)) continue
    const covered = heights.get(worker.name) ?? []
    for (const [table, definition] of eventTables(worker)) {
      findings.push(...(await compare(app, { worker: worker.name, table, definition, covered, limit })))
    }
  }
  return findings
}

type Upstream = readonly [string, ReadonlyMap<number, readonly UpstreamRow[]>][]

async function readUpstream(
  { store, app }: { store: PostgresDerivedStore; app: Connection },
  { worker, blocks }: { worker: WorkerDefinition; blocks: readonly ReadableBlock[] },
): Promise<Upstream> {
  const range: BlockRange = { from: blocks[0]!.height, to: blocks.at(-1)!.height + 1 }
  const upstream: [string, ReadonlyMap<number, readonly UpstreamRow[]>][] = []
  for (const table of worker.reads ?? []) upstream.push([table, await store.readRows(app, { table, range })])
  return upstream
}

function extract(
  { worker, sink }: { worker: WorkerDefinition; sink: RowSink },
  { blocks, upstream }: { blocks: readonly ReadableBlock[]; upstream: Upstream },
): Finding | undefined {
  for (const block of blocks) {
    const rows = Object.fromEntries(
      upstream.map(([table, byHeight]) => [table, byHeight.get(block.height) ?? []]),
    )
    try {
      sink.startBlock(block.height)
      worker.extract!({ block, emit: sink.emit, rows })
    } catch (error) {
      sink.reset()
      return {
        check: "derived-rows",
        table: `${workerSchema}.${eventTables(worker)[0]?.[0] ?? worker.name}`,
        heights: oneBlock(block.height),
        key: { worker_type: worker.name },
        message: `${worker.name} covers block ${block.height}, but fails on it: ${describeError(error)}`,
        remedy: {
          kind: "none",
          advice: `see why ${worker.name} fails on this block; the rows were not compared`,
        },
      }
    }
  }
  return undefined
}

interface DifferenceRow {
  height: string
  expected: (string | null)[] | null
  found: (string | null)[] | null
}

async function compare(
  app: Connection,
  {
    worker,
    table,
    definition,
    covered,
    limit,
  }: { worker: string; table: string; definition: EventTable; covered: RangeSet; limit: number },
): Promise<Finding[]> {
  const [first, last] = [covered[0], covered.at(-1)]
  if (!first || !last) return []
  const names = Object.keys(definition.columns)
  const columns = names.map((name) => quoteIdentifier(name))
  const texts = (alias: string): string =>
    `array[${columns.map((name) => `${alias}.${name}::text`).join(", ")}]`
  const key = definition.key.map((name) => quoteIdentifier(name))
  const { rows } = await app.query<DifferenceRow>(
    `select coalesce(expected.block_height, found.block_height) as height,
       case when expected.block_height is not null then ${texts("expected")} end as expected,
       case when found.block_height is not null then ${texts("found")} end as found
     from ${quoteIdentifier(temporary, table)} as expected
     full join (
       select ${columns.join(", ")} from ${quoteIdentifier(workerSchema, table)}
       where block_height >= $1 and block_height < $2 and block_height <@ $3::int8multirange
     ) as found on ${key.map((name) => `expected.${name} = found.${name}`).join(" and ")}
     where ${columns.map((name) => `expected.${name} is distinct from found.${name}`).join(" or ")}
     order by ${key.map((name) => `coalesce(expected.${name}, found.${name})`).join(", ")} limit $4`,
    [first.from, last.to, printMultirange(intersect(covered, covered)), limit],
  )
  return rows.map((row) => difference(row, { worker, table, names, key: definition.key }))
}

function difference(
  row: DifferenceRow,
  {
    worker,
    table,
    names,
    key,
  }: { worker: string; table: string; names: readonly string[]; key: readonly string[] },
): Finding {
  const height = heightFrom(row.height)
  const values = (row.expected ?? row.found)!
  const keyText = Object.fromEntries(key.map((name) => [name, values[names.indexOf(name)] ?? null]))
  const place = `${workerSchema}.${table} (${key.map((name) => `${name} ${keyText[name]}`).join(", ")})`
  const differing = names.filter((_, at) => row.expected?.[at] !== row.found?.[at])
  const said = (side: (string | null)[] | null): string =>
    differing.map((name) => `${name} ${side?.[names.indexOf(name)] ?? "null"}`).join(", ")
  const base = {
    check: "derived-rows",
    table: `${workerSchema}.${table}`,
    heights: oneBlock(height),
    key: keyText,
    remedy: { kind: "rederive", worker, heights: oneBlock(height) },
  } as const
  if (!row.found) return { ...base, expected: said(row.expected), message: `the row ${place} is missing` }
  if (!row.expected)
    return { ...base, found: said(row.found), message: `the row ${place} should not be there` }
  const [expected, found] = [said(row.expected), said(row.found)]
  return { ...base, expected, found, message: `the row ${place} has ${found}, derived anew ${expected}` }
}
