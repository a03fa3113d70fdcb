// Step 2 of a rollback. Raw deletes the blocks, cuts coverage and leases, and closes the intent, in one transaction
// under the exclusive chain lock.

import { rawIngester } from "../coordination/raw-ingester.js"
import type { RollbackIntent } from "../coordination/rollback-ledger.js"
import type { BlockRange } from "../domain/block-range.js"
import type { ChainFamily } from "../families/chain-family.js"
import { allAnswered } from "../postgres/all-answered.js"
import { keptPrepared } from "../postgres/kept-prepared.js"
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

/** Removes what app has removed: nothing if the rollback was cancelled. */
export function rollbackRaw(
  { raw, ledgers: { raw: ledger }, family }: Pick<RollbackDeps, "raw" | "ledgers" | "family">,
  { id, epoch }: Pick<RollbackIntent, "id" | "epoch">,
  removed: BlockRange | null,
): Promise<void> {
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
    if (open?.id !== id) return
    // Not above the coverage: it has no rows there, only empty partitions and index entries that earlier rollbacks
    // left.
    const covered = coverage.get(rawIngester)?.heights.at(-1)?.to ?? 0
    const end = Math.min(removed?.to ?? 0, covered)
    const taken = { workers: [rawIngester], removed: removed ? [removed] : [] }
    await allAnswered([
      ...(removed && removed.from < end ? [tx.query(deleteSql(family), [removed.from, end])] : []),
      ...(removed ? [ledger.uncover(tx, taken), ledger.cutLeases(tx, taken)] : []),
      ledger.closeIntent(tx, { epoch, removed, highest: covered === 0 ? null : covered - 1 }),
    ])
  }, rollbackLimits)
}
