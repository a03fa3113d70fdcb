// A database belongs to one chain: pinned at the first start, compared at every later one.

import { formatRange } from "../../domain/block-range.js"
import { IndexerError } from "../../platform/errors.js"
import { heightFrom } from "../../postgres/postgres-error.js"
import type { Queryable } from "../../postgres/transaction.js"

export interface PinOptions {
  readonly schema: "raw" | "app"
  readonly name: string
  readonly identity: { readonly chainId: string; readonly genesisHash: string }
  /** Undefined: the stored value, or the chain's first block. */
  readonly startBlock: number | undefined
}

/** Zeros where the node did not return its first block, such as a pruned node: then only the chain's id is compared. */
const isKnown = (genesis: Buffer): boolean => genesis.some((byte) => byte !== 0)

/** Returns what changed, for the log. Throws CHAIN_MISMATCH or START_BLOCK_RAISED. */
export async function pinChain(tx: Queryable, options: PinOptions): Promise<{ pinned: boolean; extended: boolean }> {
  const { schema, name, identity, startBlock } = options
  const genesis = Buffer.from(identity.genesisHash.slice(2), "hex")
  const inserted = await tx.query(
    `insert into ${schema}.chain_state (chain_name, chain_id, genesis_hash, start_height)
     values ($1, $2, $3, $4) on conflict do nothing returning 1`,
    [name, identity.chainId, genesis, startBlock ?? 0],
  )
  if (inserted.rows.length === 1) return { pinned: true, extended: false }
  const {
    rows: [stored],
  } = await tx.query<{ chain_name: string; chain_id: string; genesis_hash: Buffer; start_height: string }>(
    `select chain_name, chain_id, genesis_hash, start_height from ${schema}.chain_state for update`,
  )
  const isOtherStart = isKnown(stored!.genesis_hash) && isKnown(genesis) && !stored!.genesis_hash.equals(genesis)
  if (stored!.chain_id !== identity.chainId || isOtherStart) {
    throw new IndexerError(
      "CHAIN_MISMATCH",
      `the ${schema} database holds chain ${stored!.chain_id} (genesis 0x${stored!.genesis_hash.toString("hex")}), ` +
        `but the node serves chain ${identity.chainId} (genesis ${identity.genesisHash}); ` +
        "point DB_RAW_URL and DB_APP_URL at other databases, or RPC_URL at the right node",
    )
  }
  if (!isKnown(stored!.genesis_hash) && isKnown(genesis))
    await tx.query(`update ${schema}.chain_state set genesis_hash = $1`, [genesis])
  const storedStart = heightFrom(stored!.start_height)
  if (startBlock === undefined || startBlock === storedStart) return { pinned: false, extended: false }
  if (startBlock > storedStart) {
    throw new IndexerError(
      "START_BLOCK_RAISED",
      `this store starts at block ${storedStart}; it cannot start later (--start-block ${startBlock}), ` +
        `since ${formatRange({ from: storedStart, to: startBlock })} is already part of it`,
    )
  }
  await tx.query(`update ${schema}.chain_state set start_height = $1`, [startBlock])
  return { pinned: false, extended: true }
}
