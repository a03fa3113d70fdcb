// The state of the chain as the raw store records it. Coordination writes it.

import { heightFrom, isMissingSchema } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"

export interface ChainState {
  readonly chainName: string
  readonly chainId: string
  readonly genesisHash: string
  readonly startHeight: number
  readonly liveFrom: number | null
  readonly headHeight: number | null
  readonly finalizedHeight: number | null
  readonly chainEpoch: number
  /** Nothing is stored until a person decides about a reorganisation. */
  readonly halted: boolean
}

type StateRow = Record<"chain_name" | "chain_id" | "start_height" | "chain_epoch", string> &
  Record<"live_from" | "head_height" | "finalized_height", string | null> & {
    genesis_hash: Buffer
    halted: boolean
  }

export async function readChainState(sql: Queryable): Promise<ChainState | undefined> {
  const {
    rows: [row],
  } = await sql.query<StateRow>(
    `select chain_name, chain_id, genesis_hash, start_height, live_from, head_height, finalized_height,
       chain_epoch, halted_at is not null as halted
     from raw.chain_state`,
  )
  if (!row) return undefined
  const height = (value: string | null): number | null => (value === null ? null : heightFrom(value))
  return {
    chainName: row.chain_name,
    chainId: row.chain_id,
    genesisHash: `0x${row.genesis_hash.toString("hex")}`,
    startHeight: heightFrom(row.start_height),
    liveFrom: height(row.live_from),
    headHeight: height(row.head_height),
    finalizedHeight: height(row.finalized_height),
    chainEpoch: Number(row.chain_epoch),
    halted: row.halted,
  }
}

/**
 * Undefined when no chain was pinned there yet, or when there is no schema at all. Works before the database is migrated: it
 * reads only a column that the first migration creates.
 */
export async function readChainName(sql: Queryable): Promise<string | undefined> {
  try {
    const { rows } = await sql.query<{ chain_name: string }>("select chain_name from raw.chain_state")
    return rows[0]?.chain_name
  } catch (error) {
    if (isMissingSchema(error)) return undefined
    throw error
  }
}
