// The partitioned tables of workers in the sizes of this store. Users' own workers declare theirs.

import type { ChainFamily } from "../families/chain-family.js"
import type { PartitionedTable } from "../partitions/partitioned-table.js"
import { settlePartitionSize, sizedTables } from "../partitions/settle-partition-size.js"
import type { Database } from "../postgres/database.js"
import { readChainState } from "../raw/chain-state.js"
import type { WorkerRegistry } from "../workers/worker-registry.js"

interface AppTables {
  readonly registry: WorkerRegistry
  readonly family: Pick<ChainFamily, "workers">
}

export function appPartitions(tables: AppTables, blocks: number | undefined): readonly PartitionedTable[] {
  const builtIn = builtInTables(tables)
  return [
    ...sizedTables(builtIn, blocks),
    ...tables.registry.partitionedTables().filter(({ table }) => !builtIn.some((one) => one.table === table)),
  ]
}

/** Of tables that exist. Throws PARTITION_SIZE_FIXED. */
export async function settleAppPartitions(
  { raw, app }: { readonly raw: Database; readonly app: Database },
  { wanted, ...tables }: AppTables & { readonly wanted: number | undefined },
): Promise<number | undefined> {
  const startHeight = (await readChainState(raw))?.startHeight ?? 0
  return settlePartitionSize(app, {
    tables: builtInTables(tables),
    wanted,
    setting: "APP_PARTITION_BLOCKS",
    startHeight,
  })
}

function builtInTables({ registry, family }: AppTables): readonly PartitionedTable[] {
  const names = new Set(family.workers.flatMap(({ tables }) => Object.keys(tables)))
  return registry.partitionedTables().filter(({ table }) => names.has(table))
}
