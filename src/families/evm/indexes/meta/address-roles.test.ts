import { describe, expect, test } from "vitest"
import { address, data, type TransactionParts, transactionView, word } from "../../../../../test/support/block-view.js"
import { zeroAddress } from "../evm-events/abi-words.js"
import { eventTopics } from "../evm-events/event-topics.js"
import { forEachAddressRole } from "./address-roles.js"

const alice = address(0xa)
const bob = address(0xb)
const carol = address(0xc)
const token = address(0x70)
const none = { from: null, to: null } as const

const transfer = (from: string, to: string, contract: string | null = token) => ({
  address: contract,
  topics: [eventTopics["Transfer(address,address,uint256)"], word(from), word(to)],
  data: data(5),
})
const erc721 = (from: string, to: string) => ({
  address: token,
  topics: [eventTopics["Transfer(address,address,uint256)"], word(from), word(to), word(1)],
})
const deposit = (account: string) => ({
  address: token,
  topics: [eventTopics["Deposit(address,uint256)"], word(account)],
  data: data(5),
})

/** "role of address", with a star where it is the first of the transaction. */
function rolesOf(parts: TransactionParts): string[] {
  const names = new Map(
    Object.entries({ alice, bob, carol, token, zero: zeroAddress }).map(([name, hex]) => [hex, name]),
  )
  const seen: string[] = []
  forEachAddressRole(transactionView(parts), (each) => {
    const plain = typeof each.address === "string" ? each.address : hexOfField(each.address.bytes)
    seen.push(`${each.firstOfTransaction ? "*" : ""}${each.role} ${names.get(plain) ?? plain}`)
  })
  return seen
}

const hexOfField = (bytes: Uint8Array): string => `0x${Buffer.from(bytes.subarray(4)).toString("hex")}`

describe("the roles of a transaction", () => {
  const cases: readonly [string, TransactionParts, readonly string[]][] = [
    ["sender and receiver", { from: alice, to: bob }, ["*from alice", "*to bob"]],
    ["one who sends to itself is first as sender", { from: alice, to: alice }, ["*from alice", "to alice"]],
    ["a creation", { from: alice, to: null, contractAddress: bob }, ["*from alice", "*created bob"]],
    ["a chain that names nobody", none, []],
    ["a receiver can be the zero address", { from: alice, to: zeroAddress }, ["*from alice", "*to zero"]],
    ["an emitter comes once", { ...none, events: [{ address: bob }, { address: bob }] }, ["*emitter bob"]],
    ["a log without an address has no emitter", { ...none, events: [{ address: null }] }, []],
    [
      "the parties of a token transfer",
      { from: alice, to: token, events: [transfer(alice, bob)] },
      ["*from alice", "*to token", "emitter token", "token_from alice", "*token_to bob"],
    ],
    [
      "one who gets and gives tokens is first as giver",
      { ...none, events: [transfer(alice, bob), transfer(bob, carol)] },
      ["*emitter token", "*token_from alice", "*token_from bob", "token_to bob", "*token_to carol"],
    ],
    [
      "the parties of a collectible's transfer",
      { ...none, events: [erc721(alice, bob)] },
      ["*emitter token", "*token_from alice", "*token_to bob"],
    ],
    [
      "a mint has no giver, a burn no taker",
      { ...none, events: [transfer(zeroAddress, bob), erc721(alice, zeroAddress)] },
      ["*emitter token", "*token_from alice", "*token_to bob"],
    ],
    ["a deposit is taken from nobody", { ...none, events: [deposit(carol)] }, ["*emitter token", "*token_to carol"]],
    [
      "a malformed transfer has an emitter and no parties",
      { ...none, events: [{ ...transfer(alice, bob), data: "0x" }] },
      ["*emitter token"],
    ],
    [
      "a failed transaction has all its roles",
      { status: 0, from: alice, to: null, contractAddress: bob },
      ["*from alice", "*created bob"],
    ],
    [
      "all roles in their order",
      { from: alice, to: alice, contractAddress: alice, events: [transfer(alice, alice, alice)] },
      ["*from alice", "to alice", "created alice", "emitter alice", "token_from alice", "token_to alice"],
    ],
  ]
  test.each(cases)("%s", (_, parts, expected) => {
    expect(rolesOf(parts)).toEqual(expected)
  })
})
