// Three blocks full of what goes wrong, and what every derived table has to hold after them, worked out by hand. Single letters
// and x0, y1… stand for addresses and transactions (`names`), `-` for null; a row is a line.

import type { BlockRow, LogRow } from "../../test/support/raw-rows.js"

const address = (digit: string): string => digit.repeat(40)
const id = (pair: string): string => pair.repeat(32)

const max = (2n ** 256n - 1n).toString()

export const names: Readonly<Record<string, string>> = {
  // Z is the zero address, A and B are people, the others contracts.
  ...{ Z: address("0"), A: address("a"), B: address("b"), C: address("c") },
  ...{ T: address("1"), W: address("2"), N: address("3"), M: address("4"), F: address("5"), P: address("6") },
  ...{ x0: id("10"), x1: id("11"), y0: id("20"), y1: id("21"), z0: id("30") },
}

export const times: Readonly<Record<string, string>> = {
  t10: "2024-02-28T23:59:59.000001Z",
  t11: "2024-02-29T00:00:00Z",
  t12: "2024-02-29T12:00:00Z",
}

// Well-known values, copied and not computed.
const transfer = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
const transferSingle = "c3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62"
const transferBatch = "4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb"
const deposit = "e1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c"
const withdrawal = "7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65"
const pairCreated = "0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9"
const swap = "d78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822"
const approval = "8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925"
export const contractCreation = "ContractCreation(address)"

const party = (name: string): string => names[name]!.padStart(64, "0")
const word = (value: number | bigint | string): string => BigInt(value).toString(16).padStart(64, "0")
const log = (name: string, topics: readonly string[], ...words: string[]): LogRow => ({
  address: names[name]!,
  topics,
  data: words.join(""),
})

const largeLog = "cd".repeat(8193)
const inlineLog = "cd".repeat(8192)
export const largeInput = "ab".repeat(8193)

/** `childTopic` comes from outside: no list of well-known events has it. */
export function trickyChain(childTopic: string): BlockRow[] {
  const { A, B, F, N, T } = names
  const hex = (value: string | undefined): string => `\\x${value}`
  return [
    {
      ...{ height: 10, timestamp: times["t10"]!, baseFee: 7 },
      transactions: [
        {
          id: names["x0"]!,
          columns: {
            ...{ type: 2, status: 1, from_address: hex(A), contract_address: hex(T), nonce: 0, value: 5 },
            ...{
              gas_limit: 200,
              gas_used: 100,
              gas_price: 10,
              max_fee_per_gas: 12,
              max_priority_fee_per_gas: 1,
            },
            ...{ effective_gas_price: 10, input: hex("6001") },
          },
          logs: [log("T", [transfer, party("Z"), party("A")], word(max))],
        },
        {
          id: names["x1"]!,
          columns: {
            ...{ type: 0, status: 0, from_address: hex(A), to_address: hex(T), nonce: 1, value: 9 },
            ...{ gas_limit: 60, gas_used: 50, gas_price: 3, input: hex("a9059cbb00") },
          },
          logs: [],
        },
      ],
    },
    {
      ...{ height: 11, timestamp: times["t11"]!, baseFee: null },
      transactions: [
        {
          id: names["y0"]!,
          columns: {
            ...{ status: 1, from_address: hex(A), to_address: hex(T), nonce: 2, value: 0, gas_limit: 300 },
            ...{ gas_used: 300, effective_gas_price: 4, input: hex("a9059cbb") },
          },
          logs: [
            // 0: nothing indexed, and a byte too many. 1: to oneself. 2: from nobody to nobody.
            log("T", [transfer], party("A"), party("B"), word(7), "ff"),
            log("T", [transfer, party("A")], party("A"), word(5)),
            log("T", [transfer, party("Z"), party("Z")], word(1)),
            // 3: no amount. 4: an address that is none.
            log("T", [transfer, party("A"), party("B")]),
            log("T", [transfer, `01${party("A").slice(2)}`, party("B")], word(1)),
            // 5: wrapped. 6 and 7: the same said twice.
            log("W", [deposit, party("B")], word(3)),
            log("W", [withdrawal, party("B")], word(2)),
            log("W", [transfer, party("B"), party("Z")], word(2)),
          ],
        },
        {
          id: names["y1"]!,
          columns: { from_address: hex(B), to_address: hex(N), nonce: 0, value: 1, input: hex("") },
          logs: [
            // 8 and 9: ERC-721, its data of no meaning.
            log("N", [transfer, party("Z"), party("A"), word(1)], "ff"),
            log("N", [transfer, party("A"), party("B"), word(1)]),
            // 10 to 13: one, two, lengths that differ, none.
            log("M", [transferSingle, party("A"), party("Z"), party("B")], word(4), word(10)),
            log("M", [transferBatch, party("A"), party("B"), party("A")], ...[64, 160, 2, 4, 5, 2, 3, 0].map(word)),
            log("M", [transferBatch, party("A"), party("B"), party("A")], ...[64, 160, 2, 4, 5, 1, 3].map(word)),
            log("M", [transferBatch, party("A"), party("B"), party("A")], ...[64, 96, 0, 0].map(word)),
            // 14 and 15: a pair is made, and trades.
            log("F", [pairCreated, party("T"), party("W")], party("P"), word(1)),
            log("P", [swap, party("A"), party("B")], ...[1, 0, 0, 1].map(word)),
            log("T", [approval, party("A"), party("B")], word(1)),
            // 17: too large to keep twice.
            log("F", [], largeLog),
            // 18 and 19: a contract of both kinds, its last transfer not of the kind of its first.
            log("N", [transfer, party("B"), party("Z"), word(1)]),
            log("N", [transfer, party("A"), party("B")], word(9)),
            log("F", [], inlineLog),
            // 21: a contract nobody else names. 22: one that was there before.
            log("F", [childTopic, party("C")], word(0)),
            log("M", [childTopic, party("T")], word(1)),
          ],
        },
      ],
    },
    {
      ...{ height: 12, timestamp: times["t12"]!, baseFee: 3 },
      transactions: [
        {
          id: names["z0"]!,
          columns: { status: 1, to_address: hex(F), gas_used: 5, gas_price: 2, input: hex(largeInput) },
          logs: [],
        },
      ],
    },
  ]
}

/** All but evm_logs, which repeats the logs above. K is the hash of the creation's code, I that of the large input. */
export const trickyRows: Readonly<Record<string, string>> = {
  ft_transfers: `
    10 0 0 x0 t10 T Z A ${max} mint
    11 0 0 y0 t11 T A B 7 transfer
    11 0 1 y0 t11 T A A 5 transfer
    11 0 2 y0 t11 T Z Z 1 mint
    11 0 5 y0 t11 W Z B 3 deposit
    11 0 7 y0 t11 W B Z 2 burn
    11 1 19 y1 t11 N A B 9 transfer`,
  nft_transfers: `
    11 1 8 0 y1 t11 N erc721 - Z A 1 1 mint
    11 1 9 0 y1 t11 N erc721 - A B 1 1 transfer
    11 1 10 0 y1 t11 M erc1155 A Z B 4 10 mint
    11 1 11 0 y1 t11 M erc1155 A B A 4 3 transfer
    11 1 11 1 y1 t11 M erc1155 A B A 5 0 transfer
    11 1 18 0 y1 t11 N erc721 - B Z 1 1 burn`,
  ft_tokens: `
    T 4 ${2n ** 256n} 0 4 10 0 0 11 0 2
    W 2 3 2 2 11 0 5 11 0 7
    N 1 0 0 1 11 1 19 11 1 19`,
  nft_collections: `
    N 3 1 1 3 0 3 11 1 8 11 1 18
    M 3 10 0 0 3 3 11 1 10 11 1 11`,
  contracts: `
    T 4 0 4 10 0 0 11 0 2
    W 2 0 2 11 0 5 11 0 7
    N 1 3 4 11 1 8 11 1 19
    M 0 3 3 11 1 10 11 1 11`,
  evm_transactions: `
    10 0 0 x0 t10 2 1 A - 0 5 200 100 10 12 1 10 T - \\x6001 - - 1
    10 1 0 x1 t10 0 0 A T 1 9 60 50 3 - - - - \\xa9059cbb \\xa9059cbb00 - - 0
    11 0 0 y0 t11 - 1 A T 2 0 300 300 - - - 4 - \\xa9059cbb \\xa9059cbb - - 8
    11 1 0 y1 t11 - - B N 0 1 - - - - - - - - \\x - - 15
    12 0 0 z0 t12 - 1 - F - - - 5 2 - - - - \\xabababab - I raw.transactions/12/0 0`,
  address_transactions: `
    10 0 x0 A from t10 t
    10 0 x0 T created t10 t
    10 0 x0 T emitter t10 f
    10 0 x0 A token_to t10 f
    10 1 x1 A from t10 t
    10 1 x1 T to t10 t
    11 0 y0 A from t11 t
    11 0 y0 T to t11 t
    11 0 y0 T emitter t11 f
    11 0 y0 W emitter t11 t
    11 0 y0 A token_from t11 f
    11 0 y0 B token_from t11 t
    11 0 y0 B token_to t11 f
    11 0 y0 A token_to t11 f
    11 1 y1 B from t11 t
    11 1 y1 N to t11 t
    11 1 y1 N emitter t11 f
    11 1 y1 M emitter t11 t
    11 1 y1 F emitter t11 t
    11 1 y1 P emitter t11 t
    11 1 y1 T emitter t11 t
    11 1 y1 A token_from t11 t
    11 1 y1 B token_from t11 f
    11 1 y1 A token_to t11 f
    11 1 y1 B token_to t11 f
    12 0 z0 F to t12 t`,
  address_stats: `
    A 4 3 0 2 3 0 0 8 10 0 11 1
    B 2 1 0 2 2 0 0 5 11 0 11 1
    T 4 0 2 0 0 3 1 6 10 0 11 1
    W 1 0 0 0 0 1 0 1 11 0 11 0
    N 1 0 1 0 0 1 0 2 11 1 11 1
    M 1 0 0 0 0 1 0 1 11 1 11 1
    F 2 0 1 0 0 1 0 2 11 1 12 0
    P 1 0 0 0 0 1 0 1 11 1 11 1`,
  contract_deployments: `
    10 0 -1 x0 t10 T A transaction K
    11 1 14 y1 t11 P F factory -
    11 1 21 y1 t11 C F factory -
    11 1 22 y1 t11 T M factory -`,
  smart_contracts: `
    T 2 M y1 factory - 2 10 0 -1 11 1 22
    P 1 F y1 factory - 1 11 1 14 11 1 14
    C 1 F y1 factory - 1 11 1 21 11 1 21`,
  tx_metrics: `
    10 0 x0 t10 A 1 200 100 10 1000 700 1
    10 1 x1 t10 A 0 60 50 - 150 150 0
    11 0 y0 t11 A 1 300 300 4 1200 0 8
    11 1 y1 t11 B - - - - 0 0 15
    12 0 z0 t12 - 1 - 5 - 10 10 0`,
  accounts: `
    A 4 0 3 5 0 2350 0 16 10 0 11 1
    B 2 0 1 1 0 0 0 8 11 0 11 1
    T 4 1 0 0 5 0 2 10 10 0 11 1
    W 1 0 0 0 0 0 0 1 11 0 11 0
    N 1 0 0 0 1 0 0 3 11 1 11 1
    M 1 0 0 0 0 0 0 1 11 1 11 1
    F 2 0 0 0 0 0 0 3 11 1 12 0
    P 1 0 0 0 0 0 1 2 11 1 11 1
    C 0 0 0 0 0 0 1 1 - - - -`,
  ft_holdings: `
    A T ${2n ** 256n - 8n} 2 2 4
    B T 7 1 0 1
    B W 1 1 1 2
    A N -9 0 1 1
    B N 9 1 0 1`,
  nft_ownership: `
    N 1 Z 3 3 11 1 8 0 11 1 18 0`,
  nft_balances: `
    M 4 B 7 1 1 2
    M 4 A 3 1 0 1
    M 5 B 0 0 1 1
    M 5 A 0 1 0 1`,
  tx_contracts: `
    10 0 x0 T t 1
    10 1 x1 T t 0
    11 0 y0 T t 5
    11 0 y0 W f 3
    11 1 y1 N f 4
    11 1 y1 M f 5
    11 1 y1 F f 4
    11 1 y1 P f 1
    11 1 y1 T f 1
    12 0 z0 F t 0`,
  tx_tags: `
    10 0 CONTRACT_DEPLOY x0 t10
    10 0 NATIVE_TRANSFER x0 t10
    10 0 FT_MINT x0 t10
    10 1 FAILED x1 t10
    10 1 CONTRACT_CALL x1 t10
    11 0 CONTRACT_CALL y0 t11
    11 0 FT_TRANSFER y0 t11
    11 0 FT_MINT y0 t11
    11 0 FT_BURN y0 t11
    11 0 WRAP y0 t11
    11 1 CONTRACT_DEPLOY y1 t11
    11 1 NATIVE_TRANSFER y1 t11
    11 1 FT_TRANSFER y1 t11
    11 1 NFT_TRANSFER y1 t11
    11 1 NFT_MINT y1 t11
    11 1 NFT_BURN y1 t11
    11 1 SWAP y1 t11
    11 1 APPROVAL y1 t11
    12 0 CONTRACT_CALL z0 t12`,
  daily_stats: `
    2024-02-28 2 1 150 1150 850 1 1 0 1 4
    2024-02-29 3 0 305 1210 10 23 6 6 3 18`,
  metadata_subjects: `
    T 4 0 4 10 0 0
    W 2 0 2 11 0 5
    N 1 3 4 11 1 8
    M 0 3 3 11 1 10`,
  search_subjects: `
    T 4 0 2 6
    W 2 0 0 2
    N 1 3 0 4
    M 0 3 0 3
    P 0 0 1 1
    C 0 0 1 1`,
}
