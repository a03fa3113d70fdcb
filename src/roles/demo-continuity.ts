// Whether the demo's databases still belong to the demo's chain: the blocks stored last are compared with the node's.

import type { Database } from "../postgres/database.js"
import { heightFrom } from "../postgres/postgres-error.js"
import { readChainState } from "../raw/chain-state.js"
import type { BlockSource } from "../source/block-source.js"

export async function demoChainContinues(
  { database, source }: { database: Database; source: BlockSource },
  { signal }: { signal: AbortSignal },
): Promise<boolean> {
  const state = await readChainState(database)
  if (!state) return true
  const identity = await source.identity({ signal })
  if (identity.genesisHash.toLowerCase() !== state.genesisHash) return false
  const { rows } = await database.query<{ height: string; hash: Buffer }>(
    "select height, hash from raw.blocks order by height desc limit 1",
  )
  const [newest] = rows
  if (!newest) return true
  const hash = await source.blockHash(heightFrom(newest.height), { signal })
  return hash?.toLowerCase() === `0x${newest.hash.toString("hex")}`
}
