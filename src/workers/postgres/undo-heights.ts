// Undoes what workers derived at some heights: state first, while its event rows exist, downstream before upstream; then
// the rows, the coverage and the leases. The declarations are the only rollback rules: an event table is undone by delete,
// a state table by its fold.

import type { CoverageByWorker, CoverageLedger, TakenBack } from "../../coordination/coverage-ledger.js"
import type { BlockRange } from "../../domain/block-range.js"
import { countHeights, intersect, type RangeSet, subtract } from "../../domain/range-set.js"
import { allAnswered } from "../../postgres/all-answered.js"
import { statementName } from "../../postgres/kept-prepared.js"
import { quoteIdentifier } from "../../postgres/quote-identifier.js"
import type { Queryable } from "../../postgres/transaction.js"
import { eventTables } from "../worker-definition.js"
import { type WorkerRegistry, workerSchema } from "../worker-registry.js"
import { inBlock, inRange } from "./aggregate-sql.js"
import { undoFold } from "./undo-fold.js"

export interface UndoOptions extends TakenBack {
  /** If the caller has already read it in this transaction. */
  readonly covered?: CoverageByWorker
  /** How many heights are undone at once. */
  readonly pieceBlocks?: number | undefined
  readonly onProgress?: ((progress: UndoProgress) => void) | undefined
}

/** In heights. */
export interface UndoProgress {
  readonly done: number
  readonly total: number
}

/** Bounds a statement, and says often enough how far it is; small rollbacks are one piece. */
const undonePerPiece = 1_000

/** In a transaction that holds the exclusive chain lock, taken first. */
export async function undoHeights(
  { registry, ledger }: { registry: WorkerRegistry; ledger: CoverageLedger },
  tx: Queryable,
  { workers, removed, covered: known, pieceBlocks, onProgress }: UndoOptions,
): Promise<void> {
  if (removed.length === 0) return
  const covered = known ?? (await ledger.readCoverage(tx))
  const downstreamFirst = registry.workers.filter(({ name }) => workers.includes(name)).reverse()
  // Not above their coverage: there are no rows there, only empty partitions and index entries of earlier rollbacks.
  const top = Math.max(0, ...workers.map((name) => covered.get(name)?.heights.at(-1)?.to ?? 0))
  const ranges = intersect(removed, [{ from: 0, to: top }])
  // Before sorting is disabled: otherwise it would read all leases of the last day, tens of thousands on a fast chain.
  const cut = ledger.cutLeases(tx, { workers, removed })
  // Everything else walks indexes. By itself the planner scans the empty partitions ahead of the tip, and then sorts all rows
  // of a busy address to find its last: seconds instead of milliseconds, measured at 100,000 transactions. Plans for one
  // block are kept; those partitions make them look more expensive than new plans.
  const generic = ranges.every(({ from, to }) => to - from === 1)
  const planning = tx.query(
    `select set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true),
       set_config('jit', 'off', true), set_config('plan_cache_mode', $1, true)`,
    [generic ? "force_generic_plan" : "auto"],
  )
  const events = downstreamFirst.flatMap((worker) => eventTables(worker).map(([table]) => table))
  const total = countHeights(ranges)
  let done = 0
  onProgress?.({ done, total })
  // Within a piece statements are pipelined: the next one is built while the server runs the previous one.
  let sent: Promise<unknown>[] = [cut, planning]
  for (const piece of piecesFromTop(ranges, pieceBlocks)) {
    if (done > 0) await allAnswered(sent.splice(0))
    if (done > 0) onProgress?.({ done, total })
    for (const { name } of downstreamFirst) {
      const coverage = subtract(covered.get(name)?.heights ?? [], undoneAbove(ranges, piece))
      if (intersect(coverage, piece).length === 0) continue
      for (const plan of registry.folds.get(name) ?? []) sent.push(undoFold(tx, plan, { removed: piece, coverage }))
    }
    // One statement for each range, so that each walks one part of an index.
    for (const { from, to } of events.length === 0 ? [] : piece) {
      const text = deleteSql(events, to - from === 1 ? inBlock : inRange)
      sent.push(tx.query(text, [from, to], { name: to - from === 1 ? statementName(text) : undefined }))
    }
    done += countHeights(piece)
  }
  sent = [...sent, ledger.uncover(tx, { workers, removed })]
  await allAnswered(sent)
}

/** What the pieces before this one have undone. */
const undoneAbove = (ranges: RangeSet, piece: RangeSet): RangeSet =>
  intersect(ranges, [{ from: piece.at(-1)!.to, to: Number.MAX_SAFE_INTEGER }])

/** The highest first: what stays is then below, where a removed last is looked for. */
export function piecesFromTop(ranges: RangeSet, most = undonePerPiece): RangeSet[] {
  const pieces: BlockRange[][] = []
  let room = 0
  for (const range of [...ranges].reverse()) {
    for (let to = range.to; to > range.from; ) {
      if (room === 0) {
        pieces.push([])
        room = most
      }
      const from = Math.max(range.from, to - room)
      pieces.at(-1)!.unshift({ from, to })
      room -= to - from
      to = from
    }
  }
  return pieces
}

const deleteSql = (names: readonly string[], heights: string): string =>
  `with ${names
    .map((name, at) => `d${at} as (delete from ${quoteIdentifier(workerSchema, name)} t where ${heights})`)
    .join(",\n")}
  select 1 as deleted`
