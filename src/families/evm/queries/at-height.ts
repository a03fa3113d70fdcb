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
/** The other end of a token's transfers, found by its own index. */
const ofToken = "app.ft_transfers where contract_address = $1 and block_height <= $2"
const nftSides = {
  out: "app.nft_transfers where from_address = $1 and block_height <= $2",
  in: "app.nft_transfers where to_address = $1 and block_height <= $2",
}
const ofItem = `app.nft_transfers where contract_address = $1 and token_id = $2::numeric and block_height <= $3`

/** Each of the parts is a table with conditions. */
async function areFew(tx: Queryable, parts: readonly string[], values: readonly unknown[]): Promise<boolean> {
  const limited = parts.map((part) => `(select 1 from ${part} limit ${mostEvents + 1})`).join(" union all ")
  const { rows } = await tx.query<{ events: string }>(`select count(*) as events from (${limited}) as seen`, values)
  return Number(rows[0]!.events) <= mostEvents
}

/** Throws TOO_MANY_EVENTS. */
async function assertFew(tx: Queryable, parts: readonly string[], values: readonly unknown[]): Promise<void> {
  if (await areFew(tx, parts, values)) return
  throw new RequestError("TOO_MANY_EVENTS", `more than ${mostEvents} transfers lie behind this: it has no past here`)
}

export async function holdingsAt(
  tx: Queryable,
  { address, at }: { readonly address: Buffer; readonly at: string },
): Promise<Selection> {
  const values = [address, at]
  await assertFew(tx, Object.values(sides), values)
  return { branches: [{ from: `${moved(sides.out, sides.in)} ${metadata}`, where: [] }], values }
}

/** To be selected from, as `t`: each holder of a token. Its values are the contract and the height. */
export async function holdersAt(tx: Queryable, values: readonly unknown[]): Promise<string> {
  await assertFew(tx, [ofToken], values)
  return holders(ofToken)
}

/** To be selected from, as `t`: one row, or none. Its values are the contract, the height and the holder. */
export async function holderAt(tx: Queryable, [contract, at, address]: readonly unknown[]): Promise<string> {
  // Either has few: the holder's transfers of all tokens, or all transfers of the token.
  if (await areFew(tx, Object.values(sides), [address, at])) {
    const own = (side: string): string => side.replaceAll("$1", "$3")
    return `(select * from ${moved(own(sides.out), own(sides.in))} where t.contract_address = $1) t`
  }
  await assertFew(tx, [ofToken], [contract, at])
  return `(select * from ${holders(ofToken)} where t.address = $3) t`
}

const holders = (transfers: string): string =>
  moved(`${transfers} and from_address <> ${zero}`, `${transfers} and to_address <> ${zero}`)

/** What each address has of each token, out of what went and what came. */
const moved = (out: string, into: string): string =>
  `(select contract_address, address, sum(change) as balance, sum(came) as transfers_in, sum(went) as transfers_out
      from (select contract_address, from_address as address, -amount as change, 0 as came, 1 as went from ${out}
        union all select contract_address, to_address, amount, 1, 0 from ${into}) as moves
      group by contract_address, address) t`

/**
 * What an account owned. Whoever received an item owned it as long as no later transfer of it went to another, whoever
 * that one names as the giver.
 */
export async function nftsAt(
  tx: Queryable,
  { address, at }: { readonly address: Buffer; readonly at: string },
): Promise<Selection> {
  const values = [address, at]
  await assertFew(tx, Object.values(nftSides), values)
  const owned = `(select contract_address, token_id, 'erc721' as standard, 1::numeric as balance
      from (select contract_address, token_id, max(block_height) as height from ${nftSides.in} and standard = 'erc721'
        group by contract_address, token_id) as received
      cross join lateral (select to_address from app.nft_transfers as later
        where later.contract_address = received.contract_address and later.token_id = received.token_id
          and later.block_height >= received.height and later.block_height <= $2 and later.standard = 'erc721'
        order by block_height desc, transaction_index desc, event_index desc, batch_index desc limit 1) as last
      where last.to_address = $1) t ${metadata}`
  const held = `(select contract_address, token_id, 'erc1155' as standard, sum(change) as balance
      from (select contract_address, token_id, -amount as change from ${nftSides.out} and standard = 'erc1155'
          and from_address <> ${zero}
        union all select contract_address, token_id, amount from ${nftSides.in} and standard = 'erc1155'
          and to_address <> ${zero}) as moves
      group by contract_address, token_id having sum(change) <> 0) t ${metadata}`
  return {
    branches: [
      { from: owned, where: [] },
      { from: held, where: [] },
    ],
    values,
  }
}

/** To be selected from, as `t`: one row, or none. Its values are the contract, the item and the height. */
export async function itemAt(tx: Queryable, values: readonly unknown[]): Promise<string> {
  await assertFew(tx, [ofItem], values)
  return `(select $2::numeric as token_id, count(*) as transfer_count,
      (array_agg(to_address order by block_height desc, transaction_index desc, event_index desc, batch_index desc))[1] as owner,
      min(block_height) as first_block_height, max(block_height) as last_block_height
    from ${ofItem} and standard = 'erc721' having count(*) > 0) t`
}
