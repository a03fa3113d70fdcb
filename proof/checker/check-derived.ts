// Recomputes every derived table from the raw rows and compares row for row. Reads only, each database in one snapshot;
// memory holds one piece of the chain and the state tables, never a whole event table.

import type pg from "pg"
import { TableComparison, type TableReport } from "./compare-tables.js"
import { ExpectedTables } from "./expected-tables.js"
import { everyHeight, type HeightRange, parseMultirange, subtract } from "./height-ranges.js"
import { openSnapshot } from "./open-snapshot.js"
import { readColumns, readCoverage, readEventLines, readStateLines } from "./read-app.js"
import { type RawBlock, readRaw } from "./read-raw.js"
import { allTables, allWorkers, excludedColumns } from "./table-list.js"
import { structureOf, withStructure } from "./table-structure.js"

type RangesOf = (worker: string) => readonly HeightRange[] | undefined

export interface CheckOptions {
  readonly rawUrl: string
  readonly appUrl: string
  /** What each worker covers, undefined for every raw height. Without it: the `heights` of app.coverage. */
  readonly coverage?: RangesOf
  /** Taken off the coverage: heights that were given up have no rows. */
  readonly skipped?: RangesOf
  readonly blocksPerPiece?: number
}

export interface CheckReport {
  /** Everything is equal, nothing is covered that raw has not, and there was something to check. */
  readonly ok: boolean
  readonly blocks: number
  readonly tables: readonly TableReport[]
  /** Heights that a worker claims to have derived and that raw does not have. */
  readonly withoutRaw: readonly { readonly worker: string; readonly heights: readonly HeightRange[] }[]
}

const defaultBlocksPerPiece = 200

export async function checkDerived(options: CheckOptions): Promise<CheckReport> {
  const app = await openSnapshot(options.appUrl)
  try {
    // The app's snapshot is the older one: raw may be ahead of what was derived, never behind.
    const coverage = await coverageOf(app, options)
    const raw = await openSnapshot(options.rawUrl)
    try {
      return await check({ raw, app, coverage }, options.blocksPerPiece ?? defaultBlocksPerPiece)
    } finally {
      await raw.end()
    }
  } finally {
    await app.end()
  }
}

async function coverageOf(app: pg.Client, options: CheckOptions): Promise<Map<string, readonly HeightRange[]>> {
  const stored = options.coverage ? undefined : await readCoverage(app)
  const coverage = new Map<string, readonly HeightRange[]>()
  for (const worker of allWorkers) {
    const ranges = stored ? (stored.get(worker) ?? []) : (options.coverage?.(worker) ?? everyHeight)
    coverage.set(worker, subtract(ranges, options.skipped?.(worker) ?? []))
  }
  return coverage
}

interface Sides {
  readonly raw: pg.Client
  readonly app: pg.Client
  readonly coverage: ReadonlyMap<string, readonly HeightRange[]>
}

async function check({ raw, app, coverage }: Sides, blocksPerPiece: number): Promise<CheckReport> {
  const expected = new ExpectedTables((worker) => coverage.get(worker)!)
  const columns = await readColumns(app, "app")
  const comparisons = new Map(allTables.map((table) => [table, new TableComparison(table)]))
  const comparePiece = async (heights: HeightRange): Promise<void> => {
    for (const table of allTables.filter(({ kind }) => kind === "events")) {
      const there = columns.get(table.name)
      const found = there ? await readEventLines(app, table, { columns: there, heights }) : []
      comparisons.get(table)!.compare(expected.takeEvents(table), found)
    }
  }

  const rawHeights: HeightRange[] = []
  let blocks = 0
  // Pieces leave no height out, so a row where no block is shows as extra.
  let from = Number.MIN_SAFE_INTEGER
  for await (const piece of readRaw(raw, { blocksPerPiece })) {
    for (const block of piece) expected.addBlock(block)
    note(rawHeights, piece)
    blocks += piece.length
    const to = piece[piece.length - 1]!.height + 1
    await comparePiece({ from, to })
    from = to
  }
  await comparePiece({ from, to: Number.MAX_SAFE_INTEGER })

  for (const table of allTables.filter(({ kind }) => kind === "state")) {
    const there = columns.get(table.name)
    const found = there ? await readStateLines(app, table, { columns: there }) : []
    comparisons.get(table)!.compare(expected.stateLines(table), found)
  }
  const tables = [...comparisons].map(([table, comparison]) =>
    withStructure(
      comparison.report({ heights: expected.heightsOf(table.worker) }),
      structureOf(table, {
        ...{ schema: "app", columns: columns.get(table.name), excluded: excludedColumns[table.name] ?? [] },
      }),
    ),
  )
  const withoutRaw = await findWithoutRaw(raw, { coverage, rawHeights })
  // Nothing compared with nothing is equal, and proves nothing.
  const checked = tables.some(({ heights }) => heights > 0)
  const equal = tables.every(({ differenceCount }) => differenceCount === 0)
  const ok = checked && equal && withoutRaw.length === 0
  return { ok, blocks, tables, withoutRaw }
}

function note(rawHeights: HeightRange[], piece: readonly RawBlock[]): void {
  for (const { height } of piece) {
    const last = rawHeights[rawHeights.length - 1]
    if (last?.to === height) rawHeights[rawHeights.length - 1] = { from: last.from, to: height + 1 }
    else rawHeights.push({ from: height, to: height + 1 })
  }
}

async function findWithoutRaw(
  raw: pg.Client,
  { coverage, rawHeights }: Pick<Sides, "coverage"> & { readonly rawHeights: readonly HeightRange[] },
): Promise<CheckReport["withoutRaw"]> {
  const { rows } = await raw.query<{ skipped: string }>("select skipped::text as skipped from raw.coverage")
  const accounted = [...rawHeights, ...rows.flatMap(({ skipped }) => parseMultirange(skipped))]
  return [...coverage]
    .filter(([, ranges]) => ranges.every(({ to }) => to !== Number.MAX_SAFE_INTEGER))
    .map(([worker, ranges]) => ({ worker, heights: subtract(ranges, accounted) }))
    .filter(({ heights }) => heights.length > 0)
}
