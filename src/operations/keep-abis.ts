// Adds and removes ABIs that an operator gives. One of the same name for the same contract is replaced.

import { IndexerError } from "../platform/errors.js"
import type { Queryable } from "../postgres/transaction.js"
import type { OperatedChain } from "./operated-chain.js"

export interface AbiKey {
  /** Null: for any contract. */
  readonly address: Buffer | null
  readonly name: string
}

/** All of them are read to decode for any contract, so their number is bounded. */
const mostAbis = 10_000

/** Returns how many entries it has. Throws USAGE for one that is not valid, and where there are too many. */
export async function addAbi(
  chain: OperatedChain,
  { actor, address, name, abi }: AbiKey & { readonly actor: string; readonly abi: unknown },
): Promise<number> {
  const entries = chain.family.parseAbi(abi)
  await chain.app.transaction(async (tx) => {
    const { rowCount } = await tx.query(
      `insert into app.abis (address, name, abi, created_by)
       select $1, $2, $3, $4 where (select count(*) from app.abis) < $5
         or exists (select from app.abis where address is not distinct from $1 and name = $2)
       on conflict on constraint abis_key do update
         set abi = excluded.abi, created_by = excluded.created_by, updated_at = clock_timestamp()`,
      [address, name, JSON.stringify(entries), actor, mostAbis],
    )
    if (rowCount !== 1)
      throw new IndexerError("USAGE", `${chain.name} has ${mostAbis} ABIs already: delete some first`)
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
