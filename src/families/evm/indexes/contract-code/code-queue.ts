// The queue of contracts whose code has to be asked for, as statements: filling it from new coverage, claiming, settling, giving back.
// A claim is a next_attempt_at in the future, and ends when that value changes; no lock outlives a statement's transaction.

import { chainLock } from "../../../../coordination/postgres/coordination-tables.js"
import type { BlockRange } from "../../../../domain/block-range.js"
import type { Hex } from "../../../../domain/linked-block.js"
import type { Database } from "../../../../postgres/database.js"
import { parseMultirange, printMultirange } from "../../../../postgres/multirange.js"
import type { Queryable } from "../../../../postgres/transaction.js"

/** Whose coverage says which contracts are known. */
const metaWorker = "meta_worker"

const lockTimeoutMs = 5_000
/** Stretches of new coverage looked at in one turn: there is one as a rule, and some more while history fills in. */
const stretchesAtOnce = 64

export interface CodeClaim {
  /** The claim's end, as the database prints it: whoever settles has to name it. */
  readonly until: string
  /** Changes with every rollback. Read before the block to ask at is chosen. */
  readonly chain: string
  /** By address: where it was last deployed. */
  readonly contracts: ReadonlyMap<Hex, number>
}

/** code: null where the node had no answer, empty where it said that there is none. */
export interface CodeOutcome {
  readonly address: Hex
  readonly code: Uint8Array | null
  readonly hash: Uint8Array | null
}

const newCoverageSql = `select coverage.heights - queue.heights as fresh
  from app.coverage cross join app.contract_code_queue as queue
 where coverage.worker_type = '${metaWorker}'`

/**
 * Queues the contracts deployed in heights covered since the last time; one that was deployed again after it was asked about is due
 * once more. True when there may be more.
 */
export function queueDeployments(database: Database): Promise<boolean> {
  return database.transaction(
    async (tx) => {
      // A look without any lock first: nothing new is the rule.
      const looked = await tx.query<{ fresh: string }>(newCoverageSql)
      if ((looked.rows[0]?.fresh ?? "{}") === "{}") return false
      // No rollback may take back coverage between the look at it and the look at its contracts.
      await tx.query("select pg_advisory_xact_lock_shared($1, $2)", [...chainLock])
      const locked = await tx.query("select 1 from app.contract_code_queue for update skip locked")
      if (locked.rows.length === 0) return false
      // Heights that are no longer covered (a worker rebuilt) will be new once more.
      await tx.query(
        `update app.contract_code_queue as queue set heights = queue.heights * coverage.heights
           from app.coverage where coverage.worker_type = $1 and not queue.heights <@ coverage.heights`,
        [metaWorker],
      )
      const { rows } = await tx.query<{ fresh: string }>(newCoverageSql)
      const stretches = parseMultirange(rows[0]?.fresh ?? "{}")
      const now = stretches.slice(0, stretchesAtOnce)
      for (const stretch of now) await queueStretch(tx, stretch)
      await tx.query("update app.contract_code_queue set heights = heights + $1::int8multirange", [
        printMultirange(now),
      ])
      return stretches.length > now.length
    },
    { lockTimeoutMs },
  )
}

async function queueStretch(tx: Queryable, { from, to }: BlockRange): Promise<void> {
  await tx.query(
    `insert into app.contract_code_hashes (address, next_attempt_at)
     select address, now() from app.contract_deployments
      where block_height >= $1 and block_height < $2 group by address order by address
     on conflict (address) do nothing`,
    [from, to],
  )
  await tx.query(
    `update app.contract_code_hashes as known
        set status = 'queued', asked_at_height = null, block_hash = null, code_hash = null, code_bytes = null, attempts = 0,
            next_attempt_at = now()
       from (select address, max(block_height) as height from app.contract_deployments
              where block_height >= $1 and block_height < $2 group by address) as deployed
      where known.address = deployed.address and known.asked_at_height < deployed.height`,
    [from, to],
  )
}

/** Takes contracts that are due, longest due first; undefined when none is. Rows whose contract is none any more go. */
export function claimContracts(
  database: Database,
  { limit, claimMs }: { readonly limit: number; readonly claimMs: number },
): Promise<CodeClaim | undefined> {
  return database.transaction(async (tx) => {
    const { rows } = await tx.query<{ address: string; until: string; deployed_at: string | null }>(
      `with due as materialized (
         select address from app.contract_code_hashes
          where next_attempt_at <= now() order by next_attempt_at limit $1 for update skip locked
       )
       update app.contract_code_hashes as known
          set next_attempt_at = now() + $2 * interval '1 millisecond'
         from due left join app.smart_contracts as contract using (address)
        where known.address = due.address
       returning encode(known.address, 'hex') as address, known.next_attempt_at::text as until,
                 contract.last_block_height as deployed_at`,
      [limit, claimMs],
    )
    if (rows.length === 0) return undefined
    const gone = rows.filter((row) => row.deployed_at === null)
    if (gone.length > 0) {
      await tx.query("delete from app.contract_code_hashes where address = any($1::bytea[])", [
        gone.map(({ address }) => Buffer.from(address, "hex")),
      ])
    }
    const contracts = rows
      .filter((row) => row.deployed_at !== null)
      .map((row) => [`0x${row.address}`, Number(row.deployed_at)] as const)
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
 * Writes what was learned, and the code where it is new. Nothing is written for a contract whose claim has ended, and nothing at all after
 * a rollback: the block that was asked about may be gone. False then: the contracts are to be given back.
 */
export function settleCode(
  database: Database,
  {
    claim,
    block,
    outcomes,
  }: {
    readonly claim: CodeClaim
    readonly block: { readonly height: number; readonly hash: Hex }
    readonly outcomes: readonly CodeOutcome[]
  },
): Promise<boolean> {
  return database.transaction(
    async (tx) => {
      await tx.query("select pg_advisory_xact_lock_shared($1, $2)", [...chainLock])
      if ((await readChain(tx)) !== claim.chain) return false
      const found = outcomes.filter(({ hash }) => hash !== null)
      await tx.query(
        `insert into app.contract_code (code_hash, code_text)
         select distinct on (code_hash) code_hash, code_text from unnest($1::bytea[], $2::text[]) as found (code_hash, code_text)
          order by code_hash
         on conflict (code_hash) do nothing`,
        [
          found.map(({ hash }) => Buffer.from(hash!)),
          found.map(({ code }) => `0x${Buffer.from(code!).toString("hex")}`),
        ],
      )
      // The wait after a failure doubles from a minute to a day.
      await tx.query(
        `update app.contract_code_hashes as known
            set status = outcome.status, asked_at_height = $2, block_hash = $3, code_hash = outcome.code_hash,
                code_bytes = outcome.code_bytes, attempts = known.attempts + 1,
                next_attempt_at = case when outcome.status = 'failed'
                  then now() + least(interval '1 day', interval '1 minute' * power(2, least(known.attempts, 11))) end
           from unnest($4::bytea[], $5::text[], $6::bytea[], $7::int4[]) as outcome (address, status, code_hash, code_bytes)
          where known.address = outcome.address and known.next_attempt_at = $1::timestamptz`,
        [
          claim.until,
          block.height,
          bytea(block.hash),
          outcomes.map(({ address }) => bytea(address)),
          outcomes.map(statusOf),
          outcomes.map(({ hash }) => hash && Buffer.from(hash)),
          outcomes.map(({ code, hash }) => (hash ? code!.length : null)),
        ],
      )
      return true
    },
    { lockTimeoutMs },
  )
}

const statusOf = ({ code, hash }: CodeOutcome): string =>
  code === null ? "failed" : hash === null ? "empty" : "answered"

/** Gives contracts of a claim back without an attempt. */
export async function giveBackContracts(
  database: Database,
  {
    claim,
    contracts,
    waitMs,
  }: { readonly claim: CodeClaim; readonly contracts: readonly Hex[]; readonly waitMs: number },
): Promise<void> {
  if (contracts.length === 0) return
  await database.query(
    `update app.contract_code_hashes set next_attempt_at = now() + $3 * interval '1 millisecond'
      where address = any($1::bytea[]) and next_attempt_at = $2::timestamptz`,
    [contracts.map(bytea), claim.until, waitMs],
  )
}

const bytea = (hex: Hex): Buffer => Buffer.from(hex.slice(2), "hex")
