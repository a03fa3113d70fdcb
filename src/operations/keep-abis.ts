// Adds and removes ABIs that an operator gives. One of the same name for the same contract is replaced.

import { IndexerError } from "../platform/errors.js"
import type { Queryable } from "../postgres/transaction.js"
import type { OperatedChain } from "./operated-chain.js"

export interface AbiKey {
  /** Null: for any contract. */
  readonly address: Buffer | null
  readonly name: string
}

/** Those for any contract are all kept in memory to decode by, so that they are bounded by their entries. */
const mostAbis = 10_000
const mostOfContract = 32
const mostCommonEntries = 20_000

const addSql = `insert into app.abis (address, name, abi, created_by)
  select $1, $2, $3, $4 from (
    select count(*) as abis, count(*) filter (where address is not distinct from $1) as of_contract,
      coalesce(sum(jsonb_array_length(abi)) filter (where address is null), 0) as common_entries
    from app.abis where not (address is not distinct from $1 and name = $2)) as others
  where abis < ${mostAbis} and ($1::bytea is null or of_contract < ${mostOfContract})
    and ($1::bytea is not null or common_entries + jsonb_array_length($3::jsonb) <= ${mostCommonEntries})
  on conflict on constraint abis_key do update
    set abi = excluded.abi, created_by = excluded.created_by, updated_at = clock_timestamp()`

/** Returns how many entries it has. Throws USAGE for one that is not valid, and where there are too many. */
export async function addAbi(
  chain: OperatedChain,
  { actor, address, name, abi }: AbiKey & { readonly actor: string; readonly abi: unknown },
): Promise<number> {
  const entries = chain.family.parseAbi(abi)
  await chain.app.transaction(async (tx) => {
    const { rowCount } = await tx.query(addSql, [address, name, JSON.stringify(entries), actor])
    if (rowCount !== 1) {
      const limits = `${mostAbis} ABIs, ${mostOfContract} of one contract, ${mostCommonEntries} entries for any contract`
      throw new IndexerError("USAGE", `${chain.name} has too many ABIs (at most ${limits}): delete some first`)
    }
    await audit(chain, tx, { actor, action: "abi_add", key: { address, name }, entries: entries.length })
  })
  return entries.length
}

/** Throws NOT_FOUND where there is none of that name. */
export async function removeAbi(
  chain: OperatedChain,
  { actor, address, name }: AbiKey & { readonly actor: string },
): Promise<void> {
  await chain.app.transaction(async (tx) => {
    const { rowCount } = await tx.query("delete from app.abis where address is not distinct from $1 and name = $2", [
      address,
      name,
    ])
    if (rowCount !== 1) throw new IndexerError("NOT_FOUND", `${chain.name} has no such ABI`)
    await audit(chain, tx, { actor, action: "abi_remove", key: { address, name } })
  })
}

async function audit(
  { ledgers }: OperatedChain,
  tx: Queryable,
  { actor, action, key, entries }: { actor: string; action: string; key: AbiKey; entries?: number },
): Promise<void> {
  const address = key.address ? `0x${key.address.toString("hex")}` : "any"
  await ledgers.app.writeAudit(tx, { actor, action, details: { address, name: key.name, entries } })
}
