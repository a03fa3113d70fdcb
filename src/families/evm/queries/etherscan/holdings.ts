// Balances and holders of tokens, as their transfers say: account tokenbalance, addresstokenbalance and
// addresstokennftbalance; token tokenholderlist and topholders; stats tokensupply.

import type { EtherscanAction, EtherscanAsk } from "../../../../queries/etherscan/etherscan-action.js"
import { EtherscanError } from "../../../../queries/etherscan/etherscan-error.js"
import { type Covered, readCovered } from "../../../../queries/etherscan/read-covered.js"
import { readWindow, type WindowedList } from "../../../../queries/etherscan/read-window.js"
import type { Selection } from "../../../../queries/resource.js"
import { bytes, integerOrNull, number, textOrNull } from "../../../../queries/value-schemas.js"
import { hex } from "./etherscan-values.js"

const metadata = "left join app.token_metadata m on m.contract_address = t.contract_address"
const app = "app" as const
const holdingWorkers = ["token_worker", "ft_holdings_worker"]
const ownershipWorkers = ["token_worker", "nft_ownership_worker"]

interface TokenRow {
  readonly [column: string]: unknown
  readonly contract: Buffer
  readonly quantity: string
  readonly name: string | null
  readonly symbol: string | null
  readonly decimals?: number | null
}

export const holdingList: WindowedList = {
  key: [{ column: "t.contract_address", type: "bytea" }],
  columns: {
    contract: bytes("t.contract_address"),
    quantity: number("t.balance"),
    name: textOrNull("m.name"),
    symbol: textOrNull("m.symbol"),
    decimals: integerOrNull("m.decimals"),
  },
}
export const holdingSelection = (address: Buffer): Selection => ({
  branches: [{ from: `app.ft_holdings t ${metadata}`, where: ["t.address = $1", "t.balance > 0"] }],
  values: [address],
})

/** A whale's items are counted, but not without a bound. */
const mostCountedItems = 200_000
export const collectionCountList: WindowedList = {
  key: [{ column: "t.contract_address", type: "bytea" }],
  columns: {
    contract: bytes("t.contract_address"),
    quantity: number("t.items"),
    name: textOrNull("m.name"),
    symbol: textOrNull("m.symbol"),
    counted: number("t.counted"),
  },
}
export const collectionCountSelection = (owner: Buffer): Selection => ({
  branches: [
    {
      from: `(select contract_address, count(*) as items, sum(count(*)) over () as counted
        from (select contract_address from app.nft_ownership where owner = $1 limit ${mostCountedItems + 1}) as owned
        group by contract_address) as t ${metadata}`,
      where: [],
    },
  ],
  values: [owner],
})

export const holderList: WindowedList = {
  key: [
    { column: "t.balance", type: "numeric" },
    { column: "t.address", type: "bytea" },
  ],
  columns: { address: bytes("t.address"), quantity: number("t.balance") },
}
export const holderSelection = (contract: Buffer): Selection => ({
  branches: [{ from: "app.ft_holdings t", where: ["t.contract_address = $1", "t.balance > 0"] }],
  values: [contract],
})

/** Only the newest balance is kept. */
function assertLatest({ params }: EtherscanAsk): void {
  const tag = params.text("tag")?.toLowerCase() ?? "latest"
  if (tag !== "latest") throw new EtherscanError("Error! Only the tag latest is answered here")
}

const tokenOf = ({ contract, name, symbol, quantity }: TokenRow) => ({
  TokenAddress: hex(contract),
  TokenName: name ?? "",
  TokenSymbol: symbol ?? "",
  TokenQuantity: quantity,
})

const holders = async (ask: EtherscanAsk, most: number) => {
  const selection = holderSelection(ask.params.address("contractaddress"))
  const page = ask.params.page({ size: 10, most })
  const { value, completeness } = await readCovered(ask, { store: app, workers: holdingWorkers }, (covered) =>
    readWindow<{ address: Buffer; quantity: string }>(covered, holderList, { selection, page, order: "desc" }),
  )
  const rows = value.map(({ address, quantity }) => ({
    TokenHolderAddress: hex(address),
    TokenHolderQuantity: quantity,
  }))
  return { kind: "list" as const, none: "No records found" as const, rows, completeness }
}

async function amount({ tx }: Covered, sql: string, values: readonly unknown[]): Promise<string> {
  const { rows } = await tx.query<{ value: string }>(sql, values)
  const value = rows[0]?.value ?? "0"
  // A balance below 0 is none: this token moves amounts that no transfer tells of.
  if (value.startsWith("-"))
    throw new EtherscanError("Error! The transfers of this token do not add up to its balances")
  return value
}

export const holdings: readonly EtherscanAction[] = [
  {
    module: "account",
    action: "tokenbalance",
    answer: async (ask) => {
      assertLatest(ask)
      const values = [ask.params.address("address"), ask.params.address("contractaddress")]
      const { value, completeness } = await readCovered(ask, { store: app, workers: holdingWorkers }, (covered) =>
        amount(
          covered,
          "select balance as value from app.ft_holdings where address = $1 and contract_address = $2",
          values,
        ),
      )
      return { kind: "value", value, completeness }
    },
  },
  {
    module: "account",
    action: "addresstokenbalance",
    answer: async (ask) => {
      const selection = holdingSelection(ask.params.address("address"))
      const page = ask.params.page({ size: 100 })
      const { value, completeness } = await readCovered(ask, { store: app, workers: holdingWorkers }, (covered) =>
        readWindow<TokenRow>(covered, holdingList, { selection, page, order: "asc" }),
      )
      const rows = value.map((row) => ({
        ...tokenOf(row),
        TokenDivisor: row.decimals == null ? "" : String(row.decimals),
      }))
      return { kind: "list", none: "No records found", rows, completeness }
    },
  },
  {
    module: "account",
    action: "addresstokennftbalance",
    answer: async (ask) => {
      const selection = collectionCountSelection(ask.params.address("address"))
      const page = ask.params.page({ size: 100 })
      const { value, completeness } = await readCovered(ask, { store: app, workers: ownershipWorkers }, (covered) =>
        readWindow<TokenRow & { counted: string }>(covered, collectionCountList, { selection, page, order: "asc" }),
      )
      if (Number(value[0]?.counted ?? 0) > mostCountedItems)
        throw new EtherscanError(`Error! This address owns more than ${mostCountedItems} items, which are not counted`)
      return { kind: "list", none: "No records found", rows: value.map(tokenOf), completeness }
    },
  },
  { module: "token", action: "tokenholderlist", answer: (ask) => holders(ask, 10_000) },
  { module: "token", action: "topholders", answer: (ask) => holders(ask, 1_000) },
  {
    module: "stats",
    action: "tokensupply",
    answer: async (ask) => {
      const contract = ask.params.address("contractaddress")
      const { value, completeness } = await readCovered(ask, { store: app, workers: ["token_worker"] }, (covered) =>
        amount(covered, "select (minted - burned)::text as value from app.ft_tokens where contract_address = $1", [
          contract,
        ]),
      )
      return { kind: "value", value, completeness }
    },
  },
]
