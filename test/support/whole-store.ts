// A small store that is whole in every respect: blocks that name their parents, lookups for all rows, everything derived.

import { ensurePartitions } from "../../src/partitions/ensure-partitions.js"
import { Database } from "../../src/postgres/database.js"
import type { WorkerDefinition } from "../../src/workers/worker-definition.js"
import { type DeriveStore, openDeriveStore } from "./derive-store.js"
import { livelyBlocks } from "./lively-blocks.js"

export async function openWholeStore({
  workers,
  twoDatabases,
  ...blocks
}: {
  seed: number
  from: number
  to: number
  workers: readonly WorkerDefinition[]
  twoDatabases: boolean
}): Promise<DeriveStore> {
  const store = await openDeriveStore(livelyBlocks(blocks), { workers, twoDatabases })
  await ensurePartitions(store.app, { tables: store.registry.partitionedTables(), range: blocks })
  const raw = new Database({ url: store.rawUrl, applicationName: "test" })
  try {
    await raw.query(
      "update raw.blocks set hash = sha256(int8send(height)), parent_hash = sha256(int8send(height - 1))",
    )
    // The hashes are other ones now.
    await raw.query("delete from raw.block_lookup")
    await raw.query(
      "insert into raw.block_lookup (id, height, timestamp) select hash, height, timestamp from raw.blocks",
    )
  } finally {
    await raw.end()
  }
  await store.deriveAll()
  return store
}
