// Step 2: raw deletes the blocks, cuts coverage and leases, and closes the intent, in one transaction under the exclusive chain lock.

import { chainLock, coordinationTables } from "../coordination/postgres/coordination-tables.js"
import { cutLeases } from "../coordination/postgres/cut-leases.js"
import type { Random } from "../platform/random.js"
import { allAnswered } from "../postgres/all-answered.js"
import { keptPrepared } from "../postgres/kept-prepared.js"
import { printMultirange } from "../postgres/multirange.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { SqlExecutor } from "../postgres/sql-executor.js"
import type { Queryable } from "../postgres/transaction.js"
import { rawIngester } from "../raw/raw-ingester.js"
import { rollbackLimits } from "./rollback-app.js"
import { type RollbackIntent, readIntent } from "./rollback-intent.js"

const tables = coordinationTables("raw")

/**
 * Lookups go with their rows, and are found by them: an index by height would cost every block for the rare rollback. One statement, since
 * each round trip is a wait; all parts of it see what was there before.
 */
const deleteSql = `with
  tx_lookups as (
    delete from raw.tx_lookup as lookup using raw.transactions as transaction
    where transaction.block_height >= $1 and transaction.block_height < $2
      and lookup.id = transaction.id and lookup.block_height = transaction.block_height
  ),
  block_lookups as (
    delete from raw.block_lookup as lookup using raw.blocks as block
    where block.height >= $1 and block.height < $2 and lookup.id = block.hash and lookup.height = block.height
  ),
  events as (delete from raw.events where block_height >= $1 and block_height < $2),
  transactions as (delete from raw.transactions where block_height >= $1 and block_height < $2),
  blocks as (delete from raw.blocks where height >= $1 and height < $2)
  select 1 as deleted`

export function rollbackRaw<Tx extends Queryable>(
  { raw, random }: { raw: SqlExecutor<Tx>; random: Random },
  { id, epoch, from, to }: RollbackIntent,
): Promise<void> {
  return raw.transaction(async (transaction) => {
    const tx = keptPrepared(transaction)
    const [
      ,
      open,
      ,
      {
        rows: [covered],
      },
    ] = await allAnswered([
      tx.query("select pg_advisory_xact_lock($1, $2)", [...chainLock]),
      readIntent(tx),
      // Few rows of large tables, each found by its key: by its statistics the planner would rather read all lookups there are.
      tx.query(
        "select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true)",
      ),
      tx.query<{ highest: string | null }>(
        `select upper(range_merge(heights)) - 1 as highest from ${tables.coverage} where worker_type = $1 and not isempty(heights)`,
        [rawIngester],
      ),
    ])
    if (open?.id !== id) return
    // Not above what is covered: there are no rows, but partitions ahead of the tip, and what earlier rollbacks left behind in indexes.
    const end = covered?.highest ? Math.min(to, heightFrom(covered.highest) + 1) : 0
    await allAnswered([
      ...(from < end ? [tx.query(deleteSql, [from, end])] : []),
      tx.query(
        `update ${tables.coverage}
       set heights = heights - $2::int8multirange, skipped = skipped - $2::int8multirange, updated_at = clock_timestamp()
       where worker_type = $1`,
        [rawIngester, printMultirange([{ from, to }])],
      ),
      cutLeases({ tables, random }, tx, { workers: [rawIngester], removed: [{ from, to }] }),
      tx.query(
        `insert into ${tables.rollbacks} (id, epoch, removed, ancestor_hash, reason, highest_height)
       select intent_id, intent_epoch, intent_removed, intent_ancestor_hash, intent_reason, $1::int8 from ${tables.chainState}`,
        [covered?.highest ?? null],
      ),
      tx.query(
        `update ${tables.chainState}
       set chain_epoch = $1, intent_id = null, intent_epoch = null, intent_removed = null, intent_ancestor_hash = null, intent_reason = null`,
        [epoch],
      ),
    ])
  }, rollbackLimits)
}
