// Step 2 of a rollback. Raw deletes the blocks, cuts coverage and leases, and closes the intent, in one transaction
// under the exclusive chain lock.

import { rawIngester } from "../coordination/raw-ingester.js"
import type { RollbackIntent } from "../coordination/rollback-ledger.js"
import type { BlockRange } from "../domain/block-range.js"
import { countHeights, intersect, type RangeSet } from "../domain/range-set.js"
import type { ChainFamily } from "../families/chain-family.js"
import { allAnswered } from "../postgres/all-answered.js"
import { keptPrepared } from "../postgres/kept-prepared.js"
import { piecesFromTop } from "../workers/postgres/undo-heights.js"
import { rollbackLimits } from "./rollback-app.js"
import type { RollbackDeps } from "./rollback-deps.js"

/**
 * Finds lookups by their rows: an index by height would cost every insert for the sake of a rare rollback. One
 * statement, to save round trips; all its parts see the rows as they were before.
 */
const deleteSql = ({ rawTables }: Pick<ChainFamily, "rawTables">): string => `with
  tx_lookups as (
    delete from raw.tx_lookup as lookup using raw.transactions as transaction
    where transaction.block_height >= $1 and transaction.block_height < $2
      and lookup.id = transaction.id and lookup.block_height = transaction.block_height
  ),
  block_lookups as (
    delete from raw.block_lookup as lookup using raw.blocks as block
    where block.height >= $1 and block.height < $2 and lookup.id = block.hash and lookup.height = block.height
  ),
  ${rawTables
    .map(({ table, height: at }) => `${table} as (delete from raw.${table} where ${at} >= $1 and ${at} < $2)`)
    .join(", ")}
  select 1 as deleted`

/** Removes what app has removed: nothing if the rollback was cancelled. Returns how many blocks; undefined if it was closed. */
export function rollbackRaw(
  {
    raw,
    ledgers: { raw: ledger },
    family,
    watch,
    pieceBlocks,
  }: Omit<RollbackDeps, "app" | "random" | "storedWorkers">,
  { id, epoch }: Pick<RollbackIntent, "id" | "epoch">,
  removed: BlockRange | null,
): Promise<number | undefined> {
  return raw.transaction(async (transaction) => {
    const tx = keptPrepared(transaction)
    const [, open, , coverage] = await allAnswered([
      ledger.lockChain(tx, "exclusive"),
      ledger.readIntent(tx),
      // Few rows of large tables, each found by its key. By its statistics the planner would read all lookups.
      tx.query(
        `select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
           set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true),
           set_config('plan_cache_mode', 'force_generic_plan', true)`,
      ),
      ledger.readCoverage(tx),
    ])
    if (open?.id !== id) return undefined
    // Not above the coverage: it has no rows there, only empty partitions and index entries that earlier rollbacks
    // left.
    const covered = coverage.get(rawIngester)?.heights.at(-1)?.to ?? 0
    const end = Math.min(removed?.to ?? 0, covered)
    const taken = { workers: [rawIngester], removed: removed ? [removed] : [] }
    const stored = removed
      ? intersect(coverage.get(rawIngester)?.heights ?? [], [{ from: removed.from, to: end }])
      : []
    const pieces = removed && removed.from < end ? piecesFromTop([{ from: removed.from, to: end }], pieceBlocks) : []
    const total = removed ? Math.max(0, end - removed.from) : 0
    watch?.report("raw", { done: 0, total })
    const remove = (piece: RangeSet): Promise<unknown> =>
      tx.query(deleteSql(family), [piece[0]!.from, piece.at(-1)!.to])
    for (const piece of pieces.slice(0, -1)) {
      await remove(piece)
      watch?.report("raw", { done: end - piece[0]!.from, total })
    }
    await allAnswered([
      ...pieces.slice(-1).map(remove),
      ...(removed ? [ledger.uncover(tx, taken), ledger.cutLeases(tx, taken)] : []),
      ledger.closeIntent(tx, { epoch, removed, highest: covered === 0 ? null : covered - 1 }),
    ])
    return countHeights(stored)
  }, rollbackLimits)
}
