// Derived rows match what their worker extracts from the stored blocks. Runs extract again, into temporary tables,
// and compares row by row. Rows of dependencies are read as stored; they have their own comparison.

import { containsHeight, type RangeSet, rangeSet } from "../domain/range-set.js"
import { describeError } from "../platform/errors.js"
import type { Connection } from "../postgres/connection.js"
import { heightFrom } from "../postgres/postgres-error.js"
import { quoteIdentifier } from "../postgres/quote-identifier.js"
import { PostgresDerivedStore } from "../workers/postgres/postgres-derived-store.js"
import { openSnapshot } from "../workers/postgres/postgres-raw-reader.js"
import type { ReadableBlock, ReadBlocks } from "../workers/raw-range.js"
import { RowSink } from "../workers/row-sink.js"
import { eventTables, type UpstreamRow, type WorkerDefinition } from "../workers/worker-definition.js"
import { type WorkerRegistry, workerSchema } from "../workers/worker-registry.js"
import { compareRows, describeDifference, temporarySchema } from "./compare-rows.js"
import { type Finding, oneBlock } from "./finding.js"

export interface DerivedRowsOptions {
  /** As declared in this process; the registry in the database has no extract functions. */
  readonly registry: WorkerRegistry
  readonly readBlocks: ReadBlocks
  readonly workers: readonly WorkerDefinition[]
  /** By worker: the covered heights whose raw blocks are undamaged. */
  readonly heights: ReadonlyMap<string, RangeSet>
  readonly limit: number
}

/** Both connections have a snapshot open; the one of app is not read-only. */
export async function checkDerivedRows(
  { raw, app }: { raw: Connection; app: Connection },
  { registry, readBlocks, workers, heights, limit }: DerivedRowsOptions,
): Promise<Finding[]> {
  const findings: Finding[] = []
  const sinks = new Map(workers.map((worker) => [worker.name, new RowSink(worker)]))
  const failed = new Set<string>()
  for (const worker of workers) {
    for (const [table] of eventTables(worker)) {
      const stored = quoteIdentifier(workerSchema, table)
      await app.query(`create temporary table ${quoteIdentifier(table)} (like ${stored}) on commit drop`)
    }
  }
  const store = new PostgresDerivedStore(registry)
  for (const range of rangeSet([...heights.values()].flat())) {
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
        } else await sink.flush(app, { schema: temporarySchema })
      }
    }
  }
  for (const worker of workers) {
    if (failed.has(worker.name)) continue
    const covered = heights.get(worker.name) ?? []
    for (const [table, definition] of eventTables(worker)) {
      const { columns, key } = definition
      const compared = {
        schema: workerSchema,
        table,
        height: "block_height",
        key,
        columns: Object.keys(columns),
      }
      for (const difference of await compareRows(app, { ...compared, heights: covered, limit })) {
        const row = { table: `${workerSchema}.${table}`, key, origin: "its worker's output" }
        const at = oneBlock(heightFrom((difference.expected ?? difference.found)!["block_height"]!))
        findings.push({
          check: "derived-rows",
          heights: at,
          ...describeDifference(difference, row),
          remedy: { kind: "rederive", worker: worker.name, heights: at },
        })
      }
    }
  }
  return findings
}

type Upstream = [table: string, ReadonlyMap<number, readonly UpstreamRow[]>][]

async function readUpstream(
  { store, app }: { store: PostgresDerivedStore; app: Connection },
  { worker, blocks }: { worker: WorkerDefinition; blocks: readonly ReadableBlock[] },
): Promise<Upstream> {
  const range = { from: blocks[0]!.height, to: blocks.at(-1)!.height + 1 }
  const upstream: Upstream = []
  for (const table of worker.reads ?? []) upstream.push([table, await store.readRows(app, { table, range })])
  return upstream
}

function extract(
  { worker, sink }: { worker: WorkerDefinition; sink: RowSink },
  { blocks, upstream }: { blocks: readonly ReadableBlock[]; upstream: Upstream },
): Finding | undefined {
  for (const block of blocks) {
    const rows = Object.fromEntries(upstream.map(([table, byHeight]) => [table, byHeight.get(block.height) ?? []]))
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
          advice: `find out why ${worker.name} fails on this block; its rows were not compared`,
        },
      }
    }
  }
  return undefined
}
