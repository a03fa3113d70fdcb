// ABIs that operators gave: those of a contract, and those for any contract.

import type { Queryable } from "../postgres/transaction.js"

export interface StoredAbi {
  readonly id: number
  /** Null: for any contract. */
  readonly address: Buffer | null
  readonly name: string
  /** Entries as the chain's family has checked them. */
  readonly abi: readonly Record<string, unknown>[]
  readonly createdBy: string
  readonly updatedAt: Date
}

const abisSql = `select id::float8 as id, address, name, abi, created_by as "createdBy", updated_at as "updatedAt"
  from app.abis where address is null or address = any($1) order by address nulls last, name limit $2`

/** Those of the addresses first, then those for any contract. What is asked for first is found first. */
export async function readAbis(
  app: Queryable,
  { addresses, limit = 1_000 }: { readonly addresses: readonly Buffer[]; readonly limit?: number },
): Promise<readonly StoredAbi[]> {
  const { rows } = await app.query<StoredAbi & Record<string, unknown>>(abisSql, [addresses, limit])
  return rows
}

export interface AbiSummary extends Omit<StoredAbi, "abi"> {
  readonly entries: number
}

const listSql = `select id::float8 as id, address, name, jsonb_array_length(abi) as entries, created_by as "createdBy",
    updated_at as "updatedAt"
  from app.abis where id > $1 order by id limit $2`

export async function listAbis(
  app: Queryable,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly AbiSummary[]> {
  const { rows } = await app.query<AbiSummary & Record<string, unknown>>(listSql, [after, limit])
  return rows
}
