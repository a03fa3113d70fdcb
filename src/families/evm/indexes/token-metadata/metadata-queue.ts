// The queue of contracts to ask about, as statements: filling it from new coverage, claiming, settling, giving back.
// A claim is a next_attempt_at in the future, and ends when that value changes; no lock outlives a statement's transaction.

import { chainLock } from "../../../../coordination/postgres/coordination-tables.js"
import type { BlockRange } from "../../../../domain/block-range.js"
import type { Hex } from "../../../../domain/linked-block.js"
import type { Database } from "../../../../postgres/database.js"
import { parseMultirange, printRange } from "../../../../postgres/multirange.js"
import type { Queryable } from "../../../../postgres/transaction.js"
import type { ObservedBlock } from "../observing/ask-at-block.js"
import type { Outcome } from "./contract-inquirer.js"
import { decimalsOf, maxRawBytes, textOf } from "./metadata-answer.js"

/** Whose coverage says which contracts are known. */
export const metadataWorker = "token_metadata_worker"

const lockTimeoutMs = 5_000
/** Stretches of new coverage looked at in one turn: there is one as a rule, and some more while history fills in. */
const stretchesAtOnce = 64

export interface Claim {
  /** The claim's end, as the database prints it: whoever settles has to name it. */
  readonly until: string
  /** Changes with every rollback. Read before the block to ask at is chosen. */
  readonly chain: string
  /** By contract: where it first appeared. */
  readonly contracts: ReadonlyMap<Hex, number>
}

export type SettledOutcome = Outcome & { readonly status: "answered" | "silent" | "failed" }

/**
 * Queues the contracts that first appeared in heights covered since the last time. Costs two rows when there are none. Contracts are
 * inserted some thousand at a time. True when there may be more.
 */
export function queueSubjects(database: Database, { limit }: { readonly limit: number }): Promise<boolean> {
  return database.transaction(
    async (tx) => {
      const stretches = await lockNewCoverage(tx)
      let room = limit
      for (const { from, to } of stretches.slice(0, stretchesAtOnce)) {
        const found = await queueStretch(tx, { from, to, limit: room })
        const done = { from, to: found.count < room ? to : found.lastHeight + 1 }
        await tx.query(
          "update app.token_metadata_queue set heights = heights + $1::int8range::int8multirange",
          [printRange(done)],
        )
        room -= found.count
        if (room <= 0) return true
      }
      return stretches.length > stretchesAtOnce
    },
    { lockTimeoutMs },
  )
}

/** Heights whose contracts are not queued yet; none while another process is at it. */
async function lockNewCoverage(tx: Queryable): Promise<readonly BlockRange[]> {
  // A look without any lock first: nothing new is the rule.
  const looked = await tx.query<{ fresh: string }>(newCoverageSql)
  if ((looked.rows[0]?.fresh ?? "{}") === "{}") return []
  // No rollback may take back coverage between the look at it and the look at its contracts.
  await tx.query("select pg_advisory_xact_lock_shared($1, $2)", [...chainLock])
  const locked = await tx.query("select 1 from app.token_metadata_queue for update skip locked")
  if (locked.rows.length === 0) return []
  // Heights that are no longer covered (a worker rebuilt) will be new once more.
  await tx.query(
    `update app.token_metadata_queue as queue set heights = queue.heights * coverage.heights
       from app.coverage where coverage.worker_type = $1 and not queue.heights <@ coverage.heights`,
    [metadataWorker],
  )
  const { rows } = await tx.query<{ fresh: string }>(newCoverageSql)
  return parseMultirange(rows[0]?.fresh ?? "{}")
}

const newCoverageSql = `select coverage.heights - queue.heights as fresh
  from app.coverage cross join app.token_metadata_queue as queue
 where coverage.worker_type = '${metadataWorker}'`

/** With ties: a height is queued as a whole, so that it can be called done. */
async function queueStretch(
  tx: Queryable,
  { from, to, limit }: { readonly from: number; readonly to: number; readonly limit: number },
): Promise<{ readonly count: number; readonly lastHeight: number }> {
  const { rows } = await tx.query<{ count: number; last_height: string | null }>(
    `with found as (
       select contract_address, first_block_height
         from app.metadata_subjects
        where first_block_height >= $1 and first_block_height < $2
        order by first_block_height
        fetch first ($3::int8) rows with ties
     ), queued as (
       insert into app.token_metadata (contract_address, next_attempt_at)
       select contract_address, now() from found
       on conflict (contract_address) do nothing
     )
     select count(*)::int4 as count, max(first_block_height) as last_height from found`,
    [from, to, limit],
  )
  return { count: rows[0]!.count, lastHeight: Number(rows[0]!.last_height ?? from) }
}

/** Takes contracts that are due, longest due first; undefined when none is. Rows whose contract is no subject any more go. */
export function claimSubjects(
  database: Database,
  { limit, claimMs }: { readonly limit: number; readonly claimMs: number },
): Promise<Claim | undefined> {
  return database.transaction(async (tx) => {
    // now() and not clock_timestamp(): an index cannot be asked about a value that changes while it is read.
    const { rows } = await tx.query<{ contract: string; until: string; first_height: string | null }>(
      `with due as materialized (
         select contract_address from app.token_metadata
          where next_attempt_at <= now()
          order by next_attempt_at
          limit $1
          for update skip locked
       )
       update app.token_metadata as metadata
          set next_attempt_at = now() + $2 * interval '1 millisecond'
         from due left join app.metadata_subjects as subject using (contract_address)
        where metadata.contract_address = due.contract_address
       returning encode(metadata.contract_address, 'hex') as contract, metadata.next_attempt_at::text as until,
                 subject.first_block_height as first_height`,
      [limit, claimMs],
    )
    if (rows.length === 0) return undefined
    const gone = rows.filter((row) => row.first_height === null)
    if (gone.length > 0)
      await tx.query("delete from app.token_metadata where contract_address = any($1::bytea[])", [
        gone.map(({ contract }) => Buffer.from(contract, "hex")),
      ])
    const contracts = rows
      .filter((row) => row.first_height !== null)
      .map((row) => [`0x${row.contract}`, Number(row.first_height)] as const)
    return { until: rows[0]!.until, chain: await readChain(tx), contracts: new Map(contracts) }
  })
}

/** Every rollback adds a row and, but for a replayed one, raises the epoch. */
async function readChain(tx: Queryable): Promise<string> {
  const { rows } = await tx.query<{ chain: string }>(
    `select coalesce((select max(chain_epoch) from app.chain_state), 0) || '/' || (select count(*) from app.rollbacks) as chain`,
  )
  return rows[0]!.chain
}

/**
 * Writes what was learned. Nothing is written for a contract that is no subject any more, or whose claim has ended, and nothing at all
 * after a rollback: the block that was asked about may be gone. False then: the contracts are to be given back.
 */
export function settleOutcomes(
  database: Database,
  {
    claim,
    block,
    outcomes,
  }: {
    readonly claim: Claim
    readonly block: ObservedBlock
    readonly outcomes: readonly SettledOutcome[]
  },
): Promise<boolean> {
  return database.transaction(
    async (tx) => {
      await tx.query("select pg_advisory_xact_lock_shared($1, $2)", [...chainLock])
      if ((await readChain(tx)) !== claim.chain) return false
      await tx.query(
        `delete from app.token_metadata as metadata
          where contract_address = any($1::bytea[]) and next_attempt_at = $2::timestamptz
            and not exists (select from app.metadata_subjects as subject
                             where subject.contract_address = metadata.contract_address)`,
        [outcomes.map(({ contract }) => bytea(contract)), claim.until],
      )
      const rows = outcomes.map(rowOf)
      await tx.query(settleSql, [
        claim.until,
        block.height,
        bytea(block.hash),
        ...columnNames.map((column) => rows.map((row) => row[column])),
      ])
      return true
    },
    { lockTimeoutMs },
  )
}

const columnNames = [
  "contract",
  "status",
  "nameRaw",
  "name",
  "symbolRaw",
  "symbol",
  "decimalsRaw",
  "decimals",
  "truncated",
] as const

// The wait doubles from a minute to a day. What is answered is never due again.
const settleSql = `
  update app.token_metadata as metadata
     set status = outcome.status,
         asked_at_height = $2,
         block_hash = $3,
         name_raw = outcome.name_raw,
         name = outcome.name,
         symbol_raw = outcome.symbol_raw,
         symbol = outcome.symbol,
         decimals_raw = outcome.decimals_raw,
         decimals = outcome.decimals,
         truncated = outcome.truncated,
         attempts = metadata.attempts + 1,
         next_attempt_at = case when outcome.status <> 'answered'
           then now() + least(interval '1 day', interval '1 minute' * power(2, least(metadata.attempts, 11))) end
    from unnest($4::bytea[], $5::text[], $6::bytea[], $7::text[], $8::bytea[], $9::text[], $10::bytea[], $11::int2[], $12::boolean[])
      as outcome (contract_address, status, name_raw, name, symbol_raw, symbol, decimals_raw, decimals, truncated)
   where metadata.contract_address = outcome.contract_address
     and metadata.next_attempt_at = $1::timestamptz`

function rowOf(outcome: SettledOutcome) {
  const { name, symbol, decimals } =
    outcome.status === "answered" ? outcome.answers : { name: null, symbol: null, decimals: null }
  const cut = (answer: Uint8Array | null) => answer && Buffer.from(answer.subarray(0, maxRawBytes))
  return {
    contract: bytea(outcome.contract),
    status: outcome.status,
    nameRaw: cut(name),
    name: name && textOf(name),
    symbolRaw: cut(symbol),
    symbol: symbol && textOf(symbol),
    decimalsRaw: cut(decimals),
    decimals: decimals && decimalsOf(decimals),
    truncated: [name, symbol, decimals].some((answer) => answer !== null && answer.length > maxRawBytes),
  }
}

/** Gives contracts of a claim back without an attempt; due after the wait, behind those that were due before. */
export async function giveBackSubjects(
  database: Database,
  {
    claim,
    contracts,
    waitMs,
  }: {
    readonly claim: Claim
    readonly contracts: readonly Hex[]
    readonly waitMs: number
  },
): Promise<void> {
  if (contracts.length === 0) return
  await database.query(
    `update app.token_metadata set next_attempt_at = now() + $3 * interval '1 millisecond'
      where contract_address = any($1::bytea[]) and next_attempt_at = $2::timestamptz`,
    [contracts.map(bytea), claim.until, waitMs],
  )
}

const bytea = (hex: Hex): Buffer => Buffer.from(hex.slice(2), "hex")
