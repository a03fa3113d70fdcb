// What a store knows of its chain, as raw's record says. Coordination writes it.

import { heightFrom } from "../postgres/postgres-error.js"
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
  /** Nothing is stored while a person has to decide about a reorganisation. */
  readonly halted: boolean
}

interface StateRow {
  chain_name: string
  chain_id: string
  genesis_hash: Buffer
  start_height: string
  live_from: string | null
  head_height: string | null
  finalized_height: string | null
  chain_epoch: string
  halted: boolean
}

const stateColumns =
  "chain_name, chain_id, genesis_hash, start_height, live_from, head_height, finalized_height, chain_epoch, halted_at is not null as halted"

export async function readChainState(sql: Queryable): Promise<ChainState | undefined> {
  const {
    rows: [row],
  } = await sql.query<StateRow>(`select ${stateColumns} from raw.chain_state`)
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

/** For whoever has not migrated yet: the only column it reads is one that the first migration made. */
export async function readChainName(sql: Queryable): Promise<string | undefined> {
  const { rows } = await sql.query<{ chain_name: string }>("select chain_name from raw.chain_state")
  return rows[0]?.chain_name
}
