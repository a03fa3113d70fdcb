// `at`: state as it was after a block, summed up from event rows. Few accounts have so many that this takes long; those are
// refused instead of scanned.

import type { Queryable } from "../../../postgres/transaction.js"
import { RequestError } from "../../../queries/request-error.js"
import type { Selection } from "../../../queries/resource.js"

const mostEvents = 20_000
const zero = String.raw`'\x0000000000000000000000000000000000000000'`
const metadata = "left join app.token_metadata m on m.contract_address = t.contract_address"

const sides = {
  out: `app.ft_transfers where from_address = $1 and block_height <= $2 and from_address <> ${zero}`,
  in: `app.ft_transfers where to_address = $1 and block_height <= $2 and to_address <> ${zero}`,
}
const ofItem = `app.nft_transfers where contract_address = $1 and token_id = $2::numeric and block_height <= $3`

/** Each of the parts is a table with conditions. Throws TOO_MANY_EVENTS. */
async function assertFew(tx: Queryable, parts: readonly string[], values: readonly unknown[]): Promise<void> {
  const limited = parts.map((part) => `(select 1 from ${part} limit ${mostEvents + 1})`).join(" union all ")
  const { rows } = await tx.query<{ events: string }>(`select count(*) as events from (${limited}) as seen`, values)
  if (Number(rows[0]!.events) > mostEvents) {
    throw new RequestError("TOO_MANY_EVENTS", `more than ${mostEvents} transfers lie behind this: it has no past here`)
  }
}

export async function holdingsAt(
  tx: Queryable,
  { address, at }: { readonly address: Buffer; readonly at: string },
): Promise<Selection> {
  const values = [address, at]
  await assertFew(tx, Object.values(sides), values)
  const from = `(select contract_address, sum(change) as balance, sum(came) as transfers_in, sum(went) as transfers_out
      from (select contract_address, -amount as change, 0 as came, 1 as went from ${sides.out}
        union all select contract_address, amount, 1, 0 from ${sides.in}) as moves
      group by contract_address) t ${metadata}`
  return { branches: [{ from, where: [] }], values }
}

/** To be selected from, as `t`: one row, or none. Its values are the contract, the item and the height. */
export async function itemAt(tx: Queryable, values: readonly unknown[]): Promise<string> {
  await assertFew(tx, [ofItem], values)
  return `(select $2::numeric as token_id, count(*) as transfer_count,
      (array_agg(to_address order by block_height desc, transaction_index desc, event_index desc, batch_index desc))[1] as owner,
      min(block_height) as first_block_height, max(block_height) as last_block_height
    from ${ofItem} and standard = 'erc721' having count(*) > 0) t`
}
