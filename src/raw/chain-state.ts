// What a store knows of its chain: pinned at the first start, compared ever after; head and finality as last heard.

import { formatRange } from "../domain/block-range.js"
import { IndexerError } from "../platform/errors.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import type { ChainHead, ChainIdentity } from "../source/block-source.js"
import { rawIngester } from "./raw-ingester.js"

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

export interface PinOptions {
  readonly schema: "raw" | "app"
  readonly name: string
  readonly identity: ChainIdentity
  /** Undefined: what is stored, or the chain's first block. */
  readonly startBlock: number | undefined
}

/** Zeros where a node has pruned its first block, or did not give it this once: the chain's id has to do then. */
const isKnown = (genesis: Buffer): boolean => genesis.some((byte) => byte !== 0)

/** What changed, for the log. Throws CHAIN_MISMATCH or START_BLOCK_RAISED. */
export async function pinChain(
  tx: Queryable,
  options: PinOptions,
): Promise<{ pinned: boolean; extended: boolean }> {
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
  const isOtherStart =
    isKnown(stored!.genesis_hash) && isKnown(genesis) && !stored!.genesis_hash.equals(genesis)
  if (stored!.chain_id !== identity.chainId || isOtherStart) {
    throw new IndexerError(
      "CHAIN_MISMATCH",
      `the ${schema} database holds chain ${stored!.chain_id} (genesis 0x${stored!.genesis_hash.toString("hex")}), but the node serves chain ${identity.chainId} (genesis ${identity.genesisHash}); point DB_RAW_URL and DB_APP_URL at other databases, or RPC_URL at the right node`,
    )
  }
  if (!isKnown(stored!.genesis_hash) && isKnown(genesis))
    await tx.query(`update ${schema}.chain_state set genesis_hash = $1`, [genesis])
  const storedStart = heightFrom(stored!.start_height)
  if (startBlock === undefined || startBlock === storedStart) return { pinned: false, extended: false }
  if (startBlock > storedStart) {
    throw new IndexerError(
      "START_BLOCK_RAISED",
      `this store starts at block ${storedStart}; it cannot start later (--start-block ${startBlock}), since ${formatRange({ from: storedStart, to: startBlock })} is promised already`,
    )
  }
  await tx.query(`update ${schema}.chain_state set start_height = $1`, [startBlock])
  return { pinned: false, extended: true }
}

/**
 * Records what the node says. Finality never goes back, and the live stretch opens where finality stood first. It rises only over blocks that
 * are on the chain it was said of: where something is stored above it, that has to be linked up to the head. What is stored and lost
 * meanwhile would otherwise lie below finality, where nobody looks for it. Gives the finality that is on record.
 * Does not wait for the disk: whatever is decided by it comes later in the same log, so it is never lost alone.
 */
export async function recordHead(
  sql: Queryable,
  { head, finalizedHeight, holder }: { head: ChainHead; finalizedHeight: number; holder: string },
): Promise<number> {
  const { rows } = await sql.query<{ finalized_height: string }>(
    `update raw.chain_state set
       head_height = $1, head_hash = $2, head_seen_at = clock_timestamp(), followed_by = $4, followed_at = clock_timestamp(),
       finalized_height = case
         when finalized_height is null
           or not exists (select 1 from raw.coverage
             where worker_type = $5 and heights && int8multirange(int8range(chain_state.finalized_height + 1, null)))
           or exists (select 1 from raw.coverage cross join raw.blocks as block
             where block.height = $1::int8 and block.hash = $2 and worker_type = $5
               and heights + skipped @> int8range(least(chain_state.finalized_height, $1::int8), $1::int8 + 1))
         then greatest(finalized_height, $3::int8) else finalized_height end,
       live_from = coalesce(live_from, greatest($3::int8, start_height))
     returning finalized_height, set_config('synchronous_commit', 'off', true)`,
    [head.height, Buffer.from(head.hash.slice(2), "hex"), finalizedHeight, holder, rawIngester],
  )
  return heightFrom(rows[0]!.finalized_height)
}

/**
 * For whoever takes over: from here on nothing that another process has under way above finality is stored, and what it was about to commit is
 * waited for. In a statement of its own, before anything is compared or finality is raised, since those must see that commit.
 */
export async function takeHeadPost(sql: Queryable, holder: string): Promise<void> {
  await sql.query("update raw.chain_state set followed_by = $1, followed_at = clock_timestamp()", [holder])
}

/** In the transaction that stores blocks above finality, until whose end the post cannot change hands. */
export async function assertHeadPost(tx: Queryable, holder: string): Promise<void> {
  const { rows } = await tx.query<{ mine: boolean }>(
    "select followed_by = $1 as mine from raw.chain_state for share",
    [holder],
  )
  if (!rows[0]?.mine)
    throw new IndexerError("POST_LOST", "another process follows the head now: new blocks are left to it")
}

/** For a finality that was heard before all that is stored above the one on record was compared with the node, and found on its chain. */
export async function recordFinality(sql: Queryable, finalizedHeight: number): Promise<void> {
  await sql.query(
    "update raw.chain_state set finalized_height = greatest(finalized_height, $1::int8) where intent_id is null",
    [finalizedHeight],
  )
}
