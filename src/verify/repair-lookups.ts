// Writes missing lookups and deletes those without a row. Checks each again under the exclusive chain lock, since its
// block may have been rolled back or stored again since verify read it.

import type { CoverageLedger } from "../coordination/coverage-ledger.js"
import { countHeights } from "../domain/range-set.js"
import type { SqlExecutor } from "../postgres/transaction.js"
import { rawHeights } from "./raw-piece.js"
import type { RepairPlan } from "./repair-plan.js"

export const repairLimits = { statementTimeoutMs: 600_000, idleInTransactionTimeoutMs: 10_000 } as const

export async function repairLookups(
  { raw, ledger }: { raw: SqlExecutor; ledger: CoverageLedger },
  { writeLookups, deleteLookups, actor }: Pick<RepairPlan, "writeLookups" | "deleteLookups"> & { actor: string },
): Promise<void> {
  if (writeLookups.length === 0 && deleteLookups.length === 0) return
  await raw.transaction(async (tx) => {
    await ledger.lockChain(tx, "exclusive")
    for (const { from, to } of writeLookups) {
      await tx.query(
        `insert into raw.tx_lookup (id, block_height, tx_index, timestamp)
         select transaction.id, transaction.block_height, transaction.transaction_index, block.timestamp
         from raw.transactions as transaction join raw.blocks as block on block.height = transaction.block_height
         where transaction.block_height >= $1 and transaction.block_height < $2
           and ${rawHeights} @> transaction.block_height
         on conflict (id, block_height) do update set tx_index = excluded.tx_index, timestamp = excluded.timestamp`,
        [from, to],
      )
      await tx.query(
        `insert into raw.block_lookup (id, height, timestamp)
         select distinct on (block.hash) block.hash, block.height, block.timestamp from raw.blocks as block
         where block.height >= $1 and block.height < $2 and ${rawHeights} @> block.height
         order by block.hash, block.height
         on conflict (id) do update set height = excluded.height, timestamp = excluded.timestamp`,
        [from, to],
      )
    }
    const strays = (table: string): [Buffer[], number[]] => {
      const some = deleteLookups.filter((one) => one.table === table)
      return [some.map(({ id }) => Buffer.from(id.slice(2), "hex")), some.map(({ height }) => height)]
    }
    await tx.query(
      `delete from raw.tx_lookup as lookup using unnest($1::bytea[], $2::int8[]) as stray (id, height)
       where lookup.id = stray.id and lookup.block_height = stray.height and not exists (
         select 1 from raw.transactions as row where row.block_height = lookup.block_height and row.id = lookup.id)`,
      strays("tx_lookup"),
    )
    await tx.query(
      `delete from raw.block_lookup as lookup using unnest($1::bytea[], $2::int8[]) as stray (id, height)
       where lookup.id = stray.id and lookup.height = stray.height and not exists (
         select 1 from raw.blocks as row where row.height = lookup.height and row.hash = lookup.id)`,
      strays("block_lookup"),
    )
    const lookups = { written_for_heights: countHeights(writeLookups), deleted: deleteLookups.length }
    await ledger.writeAudit(tx, { actor, action: "repair", details: { lookups } })
  }, repairLimits)
}
