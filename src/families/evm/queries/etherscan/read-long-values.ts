// Inputs and log data that are too long for the derived tables, from raw. They are bounded together.

import { EtherscanError } from "../../../../queries/etherscan/etherscan-error.js"
import { largeBytes, tooLargeMessage } from "../../../../queries/etherscan/read-window.js"
import type { ServedChain } from "../../../../queries/served-chain.js"
import { assertEpoch } from "./read-companions.js"

/** `index`: of a log in its block. */
export interface LongPlace {
  readonly height: string
  readonly transaction: number
  readonly index: number
}

const inputsSql = `
with found as (
  select asked.place, t.input as value
  from unnest($1::int8[], $2::int4[], $3::int4[]) with ordinality as asked (height, transaction, index, place)
  cross join lateral (select input from raw.transactions
    where block_height = asked.height and transaction_index = asked.transaction offset 0) as t)
select place::int4 as place, case when sum(octet_length(value)) over () <= $4 then value end as value from found`
const dataSql = `
with found as (
  select asked.place, t.data as value
  from unnest($1::int8[], $2::int4[], $3::int4[]) with ordinality as asked (height, transaction, index, place)
  cross join lateral (select data from raw.events
    where block_height = asked.height and transaction_index = asked.transaction and event_index = asked.index offset 0) as t)
select place::int4 as place, case when sum(octet_length(value)) over () <= $4 then value end as value from found`

/** In the order of the places. Throws ROLLBACK_IN_PROGRESS when raw is no longer at the epoch of the derived rows. */
export async function readLongValues(
  chain: ServedChain,
  {
    of,
    epoch,
    places,
  }: { readonly of: "inputs" | "data"; readonly epoch: number; readonly places: readonly LongPlace[] },
): Promise<readonly Buffer[]> {
  if (places.length === 0) return []
  const { rows } = await chain.read("raw", async (tx) => {
    await assertEpoch(tx, epoch)
    return tx.query<{ place: number; value: Buffer | null }>(of === "inputs" ? inputsSql : dataSql, [
      places.map(({ height }) => height),
      places.map(({ transaction }) => transaction),
      places.map(({ index }) => index),
      largeBytes,
    ])
  })
  const values: Buffer[] = []
  for (const { place, value } of rows) {
    if (value === null) throw new EtherscanError(tooLargeMessage)
    values[place - 1] = value
  }
  return values
}
