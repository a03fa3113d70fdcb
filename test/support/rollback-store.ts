// Rolls the databases of a test back as the product does, and looks with plain SQL at what has to be true afterwards.

import { evmFamily } from "../../src/families/evm/evm-family.js"
import { systemRandom } from "../../src/platform/random.js"
import type { Database } from "../../src/postgres/database.js"
import { finishRollback } from "../../src/rollback/finish-rollback.js"
import { StoredRegistry } from "../../src/workers/postgres/stored-registry.js"
import { testLedgers } from "./test-ledgers.js"

export interface RollbackStore {
  readonly raw: Database
  readonly app: Database
}

/** Records that everything from this height on is to go; nothing is deleted yet. */
export async function openRollback({ raw }: Pick<RollbackStore, "raw">, from: number): Promise<void> {
  const { rows } = await raw.query<{ chain_epoch: string }>("select chain_epoch from raw.chain_state")
  const epoch = Number(rows[0]!.chain_epoch)
  const request = { id: systemRandom.uuid(), from, ancestorHash: `0x${"00".repeat(32)}`, epoch, reason: "test" }
  if (!(await testLedgers.raw.openIntent(raw, request))) throw new Error("another rollback is open")
}

export async function rollbackTo(store: RollbackStore, from: number): Promise<void> {
  await openRollback(store, from)
  const storedWorkers = new StoredRegistry()
  await finishRollback({ ...store, ledgers: testLedgers, storedWorkers, random: systemRandom, family: evmFamily })
}

/** Lookups without their row, and rows without their lookup. */
export async function brokenLookups(raw: Database): Promise<string[]> {
  const { rows } = await raw.query<{ what: string }>(
    `select 'transaction ' || coalesce(lookup.block_height, transaction.block_height) || ' ' || coalesce(lookup.tx_index, transaction.transaction_index) as what
     from raw.tx_lookup as lookup
     full join raw.transactions as transaction on lookup.id = transaction.id and lookup.block_height = transaction.block_height
     where lookup.tx_index is distinct from transaction.transaction_index
     union all
     select 'block ' || coalesce(lookup.height, block.height)
     from raw.block_lookup as lookup full join raw.blocks as block on lookup.id = block.hash and lookup.height = block.height
     where lookup.id is null or block.hash is null`,
  )
  return rows.map(({ what }) => what)
}

/** Oldest first; throws where raw and app do not give the same ones. */
export async function rollbackReasons({ raw, app }: RollbackStore): Promise<(string | null)[]> {
  const read = async (database: Database, schema: "raw" | "app"): Promise<(string | null)[]> =>
    (
      await database.query<{ reason: string | null }>(`select reason from ${schema}.rollbacks order by epoch`)
    ).rows.map(({ reason }) => reason)
  const [stored, derived] = [await read(raw, "raw"), await read(app, "app")]
  if (JSON.stringify(stored) !== JSON.stringify(derived)) {
    throw new Error(`raw gives ${JSON.stringify(stored)}, app ${JSON.stringify(derived)}`)
  }
  return stored
}
