// What an answer from derived rows also needs of the transactions they are of, which only raw has: the block's hash,
// cumulative gas, and inputs that are too long for the derived table.

import { RequestError } from "../../../../queries/request-error.js"
import type { ServedChain } from "../../../../queries/served-chain.js"

export interface Companion {
  readonly [column: string]: unknown
  readonly height: string
  readonly id: Buffer
  readonly block_hash: Buffer
  readonly nonce: string | null
  readonly gas_limit: string | null
  readonly gas_price: string | null
  readonly gas_used: string | null
  readonly cumulative_gas_used: string | null
  readonly method_id: Buffer | null
}

export interface Place {
  readonly height: string
  readonly id: Buffer
}

const placeKey = ({ height, id }: Place): string => `${height} ${id.toString("hex")}`

// Behind the fence each row is one look-up by key, in the one partition of its height.
const companionsSql = `
select asked.height::text as height, asked.id, b.hash as block_hash, t.*
from unnest($1::int8[], $2::bytea[]) as asked (height, id)
cross join lateral (
  select nonce, gas_limit, coalesce(effective_gas_price, gas_price) as gas_price, gas_used, cumulative_gas_used,
    case when to_address is not null and length(input) >= 4 then substr(input, 1, 4) end as method_id
  from raw.transactions where block_height = asked.height and id = asked.id offset 0
) as t
cross join lateral (select hash from raw.blocks where height = asked.height offset 0) as b`

/** Throws ROLLBACK_IN_PROGRESS when raw is no longer at the epoch of the derived rows: they are read again then. */
export async function readCompanions(
  chain: ServedChain,
  { epoch, places }: { readonly epoch: number; readonly places: readonly Place[] },
): Promise<(place: Place) => Companion> {
  const asked = new Map(places.map((place) => [placeKey(place), place]))
  const companions = new Map<string, Companion>()
  if (asked.size > 0) {
    await chain.read("raw", async (tx) => {
      await assertEpoch(tx, epoch)
      const each = [...asked.values()]
      const { rows } = await tx.query<Companion>(companionsSql, [
        each.map(({ height }) => height),
        each.map(({ id }) => id),
      ])
      for (const row of rows) companions.set(placeKey(row), row)
    })
  }
  if (companions.size < asked.size) throw rolledBack()
  return (place) => companions.get(placeKey(place))!
}

type Tx = Parameters<Parameters<ServedChain["read"]>[1]>[0]

export async function assertEpoch(raw: Tx, epoch: number): Promise<void> {
  const { rows } = await raw.query<{ chain_epoch: string }>("select chain_epoch from raw.chain_state")
  if (Number(rows[0]?.chain_epoch) !== epoch) throw rolledBack()
}

const rolledBack = (): RequestError =>
  new RequestError("ROLLBACK_IN_PROGRESS", "a rollback is being finished: ask again")

const tries = 10
const againMs = 100

/** The two databases have no common snapshot: what reads both is read again until they are at the same epoch. */
export async function atOneEpoch<T>(chain: ServedChain, read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof RequestError && error.code === "ROLLBACK_IN_PROGRESS") || attempt === tries) throw error
      await chain.clock.sleep(againMs)
    }
  }
}
