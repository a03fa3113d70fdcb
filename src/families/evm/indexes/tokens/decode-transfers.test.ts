import { describe, expect, test } from "vitest"
import { data, type EventParts, hexOf, transactionView, word } from "../../../../../test/support/block-view.js"
import { zeroAddress } from "../evm-events/abi-words.js"
import { eventTopics } from "../evm-events/event-topics.js"
import { decodeTransfers } from "./decode-transfers.js"

const transfer = eventTopics["Transfer(address,address,uint256)"]
const single = eventTopics["TransferSingle(address,address,address,uint256,uint256)"]
const batch = eventTopics["TransferBatch(address,address,address,uint256[],uint256[])"]
const deposit = eventTopics["Deposit(address,uint256)"]
const withdrawal = eventTopics["Withdrawal(address,uint256)"]

const usdt = "0xdac17f958d2ee523a2206206994597c13d831ec7"
const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"
const kitties = "0x06012c8cf97bead5deae237070f9587f8e7a266d"
const ensNames = "0x57f1887a8bf19b14fc0df6fd9b2acc9af147ea85"
const storefront = "0x495f947276749ce646f68ac8c248420045cb7b5e"
const alice = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"
const bob = "0x28c6c06298d514db089934071355e5743bf21d60"
const operator = "0x1e0049783f008a0085193e00003d00cd54003c71"
const max = "f".repeat(64)
const dirty = `${"0".repeat(23)}1${alice.slice(2)}`

const decode = (...events: EventParts[]) => decodeTransfers(transactionView({ events }))
const ftOf = (event: EventParts) => decode(event).ft
const nftOf = (event: EventParts) => decode(event).nft
const topicsOf = (first: string, ...rest: readonly (string | number)[]) => [first, ...rest.map(word)]

describe("a Transfer of an ERC-20 token", () => {
  const row = {
    eventIndex: 0,
    contract: usdt,
    from: alice,
    to: bob,
    amount: word(5_000_000),
    kind: "transfer",
  }

  test.each<[string, EventParts]>([
    ["both parties indexed", { topics: topicsOf(transfer, alice, bob), data: data(5_000_000) }],
    ["one party indexed", { topics: topicsOf(transfer, alice), data: data(bob, 5_000_000) }],
    ["nothing indexed", { topics: [transfer], data: data(alice, bob, 5_000_000) }],
    ["bytes after its words", { topics: topicsOf(transfer, alice, bob), data: `${data(5_000_000)}beef` }],
    ["words after its words", { topics: [transfer], data: data(alice, bob, 5_000_000, max) }],
  ])("is read with %s", (_, event) => {
    expect(decode({ address: usdt, ...event })).toEqual({ ft: [row], nft: [] })
  })

  test("is read from CryptoKitties, whose token id stands where an amount would", () => {
    const event = { address: kitties, topics: [transfer], data: data(0, alice, 635_100) }
    expect(decode(event)).toEqual({
      ft: [{ ...row, contract: kitties, from: zeroAddress, to: alice, amount: word(635_100), kind: "mint" }],
      nft: [],
    })
  })

  test.each([
    [zeroAddress, bob, "mint"],
    [alice, zeroAddress, "burn"],
    [zeroAddress, zeroAddress, "mint"],
    [alice, alice, "transfer"],
  ])("from %s to %s is a %s", (from, to, kind) => {
    const event = { address: usdt, topics: topicsOf(transfer, from, to), data: data(max) }
    expect(ftOf(event)).toEqual([{ ...row, from, to, amount: word(max), kind }])
  })

  test.each<[string, EventParts]>([
    ["no data", { topics: topicsOf(transfer, alice, bob), data: null }],
    ["empty data", { topics: topicsOf(transfer, alice, bob), data: "0x" }],
    ["31 bytes of data", { topics: topicsOf(transfer, alice, bob), data: data(1).slice(0, -2) }],
    ["two words for three", { topics: [transfer], data: data(alice, bob) }],
    ["one word for two", { topics: topicsOf(transfer, alice), data: data(bob) }],
    ["a dirty sender", { topics: topicsOf(transfer, dirty, bob), data: data(1) }],
    ["a dirty receiver", { topics: topicsOf(transfer, alice, dirty), data: data(1) }],
    ["a dirty word in its data", { topics: [transfer], data: data(dirty, bob, 1) }],
    ["a short topic", { topics: [transfer, alice, word(bob)], data: data(1) }],
    ["a long topic", { topics: [transfer, `${word(alice)}00`, word(bob)], data: data(1) }],
    ["a longer first topic", { topics: [`${transfer}00`, word(alice), word(bob)], data: data(1) }],
    ["five topics", { topics: topicsOf(transfer, alice, bob, 1, 2), data: data(1) }],
    ["no topics", { topics: [], data: data(alice, bob, 1) }],
    ["no emitter", { address: null, topics: topicsOf(transfer, alice, bob), data: data(1) }],
  ])("with %s gives nothing", (_, event) => {
    expect(decode({ address: usdt, ...event })).toEqual({ ft: [], nft: [] })
  })
})

describe("a Transfer of an ERC-721 token", () => {
  const label = word("af2caa1c2ca1d027f1ac823b529d0a67cd144264b2789fa2ea4d63a67c7103cc")
  const row = {
    eventIndex: 0,
    batchIndex: 0,
    contract: ensNames,
    standard: "erc721",
    operator: null,
    from: alice,
    to: bob,
    tokenId: label,
    amount: word(1),
    kind: "transfer",
  }

  test.each<[string, EventParts]>([
    ["without data", { data: "0x" }],
    ["with no data column", { data: null }],
    ["with data nobody asked for", { data: data(max, 2) }],
  ])("has four topics, %s", (_, event) => {
    expect(decode({ address: ensNames, topics: topicsOf(transfer, alice, bob, label), ...event })).toEqual({
      ft: [],
      nft: [row],
    })
  })

  test.each([
    [zeroAddress, bob, "mint"],
    [alice, zeroAddress, "burn"],
    [zeroAddress, zeroAddress, "mint"],
  ])("from %s to %s is a %s", (from, to, kind) => {
    const event = { address: ensNames, topics: topicsOf(transfer, from, to, max) }
    expect(nftOf(event)).toEqual([{ ...row, from, to, tokenId: word(max), kind }])
  })

  test.each<[string, EventParts]>([
    ["a short id", { topics: [...topicsOf(transfer, alice, bob), "0x01"] }],
    ["a long id", { topics: [...topicsOf(transfer, alice, bob), `${label}00`] }],
    ["a dirty sender", { topics: topicsOf(transfer, dirty, bob, 1) }],
    ["a dirty receiver", { topics: topicsOf(transfer, alice, dirty, 1) }],
    ["no emitter", { address: null, topics: topicsOf(transfer, alice, bob, 1) }],
  ])("with %s gives nothing", (_, event) => {
    expect(decode({ address: ensNames, data: data(1, 2, 3), ...event })).toEqual({ ft: [], nft: [] })
  })
})

describe("a TransferSingle", () => {
  const row = {
    eventIndex: 0,
    batchIndex: 0,
    contract: storefront,
    standard: "erc1155",
    operator,
    from: alice,
    to: bob,
    tokenId: word(max),
    amount: word(max),
    kind: "transfer",
  }
  const topics = topicsOf(single, operator, alice, bob)

  test("is read with ids and amounts up to the largest", () => {
    expect(decode({ address: storefront, topics, data: data(max, max) })).toEqual({ ft: [], nft: [row] })
    expect(nftOf({ address: storefront, topics, data: `${data(max, 0)}00` })).toEqual([{ ...row, amount: word(0) }])
  })

  test.each([
    [zeroAddress, bob, "mint"],
    [alice, zeroAddress, "burn"],
    [zeroAddress, zeroAddress, "mint"],
  ])("from %s to %s is a %s", (from, to, kind) => {
    const event = { address: storefront, topics: topicsOf(single, operator, from, to), data: data(max, max) }
    expect(nftOf(event)).toEqual([{ ...row, from, to, kind }])
  })

  test.each<[string, EventParts]>([
    ["one word", { topics, data: data(1) }],
    ["63 bytes", { topics, data: data(1, 2).slice(0, -2) }],
    ["no data", { topics, data: null }],
    ["three topics", { topics: topics.slice(0, 3), data: data(bob, 1, 2) }],
    ["a dirty operator", { topics: topicsOf(single, dirty, alice, bob), data: data(1, 2) }],
    ["a short topic", { topics: [single, word(operator), alice, word(bob)], data: data(1, 2) }],
    ["no emitter", { address: null, topics, data: data(1, 2) }],
  ])("with %s gives nothing", (_, event) => {
    expect(decode({ address: storefront, ...event })).toEqual({ ft: [], nft: [] })
  })
})

describe("a TransferBatch", () => {
  const topics = topicsOf(batch, operator, alice, bob)
  const pairsOf = (body: string | null, over: EventParts = {}) =>
    nftOf({ address: storefront, topics, data: body, ...over }).map(({ batchIndex, tokenId, amount }) => [
      batchIndex,
      BigInt(tokenId),
      BigInt(amount),
    ])

  test("gives a row for each position, repeated ids included", () => {
    const rows = nftOf({ address: storefront, topics, data: data(64, 192, 3, 7, 8, 7, 3, 1, max, 0) })
    expect(rows.map((row) => [row.batchIndex, row.tokenId, row.amount])).toEqual([
      [0, word(7), word(1)],
      [1, word(8), word(max)],
      [2, word(7), word(0)],
    ])
    expect(rows[2]).toEqual({
      eventIndex: 0,
      batchIndex: 2,
      contract: storefront,
      standard: "erc1155",
      operator,
      from: alice,
      to: bob,
      tokenId: word(7),
      amount: word(0),
      kind: "transfer",
    })
  })

  test.each<[string, string]>([
    ["the arrays the other way round", data(160, 64, 2, 1, 2, 2, 7, 8)],
    ["a gap before the arrays", data(128, 224, max, max, 2, 7, 8, 2, 1, 2)],
    ["offsets that are no multiple of 32", `${data(65, 161)}ff${data(2, 7, 8, 2, 1, 2).slice(2)}`],
    ["bytes after the arrays", `${data(64, 160, 2, 7, 8, 2, 1, 2)}00ff`],
  ])("is read with %s", (_, body) => {
    expect(pairsOf(body)).toEqual([
      [0, 7n, 1n],
      [1, 8n, 2n],
    ])
  })

  test("may use one array for ids and amounts", () => {
    expect(pairsOf(data(64, 64, 1, 5))).toEqual([[0, 5n, 5n]])
  })

  test.each<[string, string | null, EventParts?]>([
    ["no data", null],
    ["empty data", "0x"],
    ["empty arrays", data(64, 96, 0, 0)],
    ["lengths that differ", data(64, 160, 2, 7, 8, 1, 1)],
    ["an offset past the end", data(64, 4096, 1, 7, 1, 1)],
    ["an offset at the very end", data(64, 192, 1, 7, 1, 1)],
    ["an offset of the largest number", data(64, max, 1, 7, 1, 1)],
    ["an offset that wraps in 32 bits", data(64, "100000080", 1, 7, 1, 1)],
    ["a length of the largest number", data(64, 128, max, 7, max, 1)],
    ["a length of 2^32 - 1", data(64, 128, "ffffffff", 7, "ffffffff", 1)],
    ["a length that wraps when multiplied", data(64, 128, "8000001", 7, "8000001", 1)],
    ["one amount cut off", data(64, 160, 2, 7, 8, 2, 1)],
    ["one byte cut off", data(64, 160, 2, 7, 8, 2, 1, 2).slice(0, -2)],
    ["three topics", data(64, 128, 1, 7, 1, 1), { topics: topics.slice(0, 3) }],
    ["a dirty receiver", data(64, 128, 1, 7, 1, 1), { topics: topicsOf(batch, operator, alice, dirty) }],
    ["no emitter", data(64, 128, 1, 7, 1, 1), { address: null }],
  ])("with %s gives nothing", (_, body, over) => {
    expect(pairsOf(body, over)).toEqual([])
  })
})

describe("wrapped ether", () => {
  const amount = data("8ac7230489e80000")
  const deposited: EventParts = { address: weth, topics: topicsOf(deposit, alice), data: amount }
  const withdrawn: EventParts = { address: weth, topics: topicsOf(withdrawal, alice), data: amount }
  const minted: EventParts = { address: weth, topics: topicsOf(transfer, zeroAddress, alice), data: amount }
  const burned: EventParts = { address: weth, topics: topicsOf(transfer, alice, zeroAddress), data: amount }
  const kinds = (...events: EventParts[]) => decode(...events).ft.map(({ eventIndex, kind }) => [eventIndex, kind])

  test("comes from and goes to the zero address", () => {
    expect(decode(deposited, withdrawn).ft).toEqual([
      { eventIndex: 0, contract: weth, from: zeroAddress, to: alice, amount, kind: "deposit" },
      { eventIndex: 1, contract: weth, from: alice, to: zeroAddress, amount, kind: "withdrawal" },
    ])
  })

  test("is not counted twice when the token also says Transfer, before or after", () => {
    expect(kinds(minted, deposited)).toEqual([[0, "mint"]])
    expect(kinds(deposited, minted)).toEqual([[1, "mint"]])
    expect(kinds(withdrawn, burned)).toEqual([[1, "burn"]])
    expect(kinds(deposited, deposited, minted)).toEqual([[2, "mint"]])
  })

  test.each<[string, EventParts]>([
    ["of another contract", { ...minted, address: usdt }],
    ["of another amount", { ...minted, data: data(1) }],
    ["to another account", { ...minted, topics: topicsOf(transfer, zeroAddress, bob) }],
    ["the other way", burned],
    ["that is an ERC-721 one", { ...minted, topics: topicsOf(transfer, zeroAddress, alice, amount) }],
    ["that is malformed", { ...minted, data: "0x" }],
  ])("counts beside a Transfer %s", (_, other) => {
    expect(kinds(deposited, other)[0]).toEqual([0, "deposit"])
  })

  test("twice the same counts twice", () => {
    expect(kinds(deposited, deposited)).toEqual([
      [0, "deposit"],
      [1, "deposit"],
    ])
  })

  test.each<[string, EventParts]>([
    ["one topic", { topics: [deposit], data: data(alice, 5) }],
    ["three topics", { topics: topicsOf(deposit, alice, bob), data: data(5) }],
    ["a dirty account", { topics: topicsOf(withdrawal, dirty), data: data(5) }],
    ["no data", { topics: topicsOf(deposit, alice), data: null }],
    ["31 bytes", { topics: topicsOf(deposit, alice), data: data(5).slice(0, -2) }],
    ["no emitter", { address: null, topics: topicsOf(deposit, alice), data: data(5) }],
  ])("with %s gives nothing", (_, event) => {
    expect(kinds({ address: weth, ...event })).toEqual([])
  })
})

test("a transaction with everything gives its rows in the order of its logs, by the logs' own indexes", () => {
  const { ft, nft } = decode(
    { index: 40, topics: [hexOf(32, "abc")] },
    { index: 41, address: weth, topics: topicsOf(deposit, alice), data: data(9) },
    { index: 42, address: usdt, topics: topicsOf(transfer, alice, bob), data: data(1) },
    { index: 43, address: ensNames, topics: topicsOf(transfer, alice, bob, 3) },
    {
      index: 44,
      address: storefront,
      topics: topicsOf(batch, operator, alice, bob),
      data: data(64, 160, 2, 1, 2, 2, 3, 4),
    },
    { index: 45, address: storefront, topics: topicsOf(single, operator, alice, bob), data: data(5, 6) },
    { index: 46, address: kitties, topics: [transfer], data: data(alice, bob, 77) },
    { index: 47, address: weth, topics: topicsOf(withdrawal, bob), data: data(9) },
    { index: 48, address: usdt, topics: topicsOf(transfer, alice, bob), data: "0x" },
    { index: 49, topics: [] },
  )
  expect(ft.map((row) => [row.eventIndex, row.kind])).toEqual([
    [41, "deposit"],
    [42, "transfer"],
    [46, "transfer"],
    [47, "withdrawal"],
  ])
  expect(nft.map((row) => [row.eventIndex, row.batchIndex, row.standard])).toEqual([
    [43, 0, "erc721"],
    [44, 0, "erc1155"],
    [44, 1, "erc1155"],
    [45, 0, "erc1155"],
  ])
})

test("logs count whatever the status, and a transaction without logs has no transfers", () => {
  const events = [{ address: usdt, topics: topicsOf(transfer, alice, bob), data: data(1) }]
  for (const status of [0, 1, null]) {
    expect(decodeTransfers(transactionView({ status, events })).ft).toHaveLength(1)
  }
  expect(decodeTransfers(transactionView())).toEqual({ ft: [], nft: [] })
})
