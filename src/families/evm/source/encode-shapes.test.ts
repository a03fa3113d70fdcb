// Headers and transactions that other chains than Ethereum hash, each beside the list that it is the RLP of.

import { type Hex, keccak256, toRlp } from "viem"
import { expect, test } from "vitest"
import {
  address,
  headItems,
  type Json,
  type Rlp,
  rlpNumber,
  shapeBlock,
  typed,
  word,
} from "../../../../test/fixtures/evm/shaped-block.js"
import { encodeHeader } from "./encode-header.js"
import { encodeTransaction } from "./encode-transaction.js"
import { keccakText } from "./keccak.js"

const seal = `0x${"ab".repeat(65)}` as Hex
const { transactions: _, hash: __, ...header } = shapeBlock().block
const head = headItems(header)
const upToExtraData = head.slice(0, 13)
const fee = "0x07"
const unsealed: Json = { ...header, mixHash: undefined, nonce: undefined }
const frontier = [...head.slice(0, 11), rlpNumber(`0x${(1000 * Number(header["timestamp"])).toString(16)}`)] as const

const headers: [string, Json, readonly Rlp[]][] = [
  [
    "AuRa as Erigon has it",
    { ...header, auraStep: "0x1391ec5a", auraSeal: seal },
    [...upToExtraData, "0x1391ec5a", seal, fee],
  ],
  [
    "AuRa as Nethermind has it",
    { ...unsealed, step: 317321911, signature: seal },
    [...upToExtraData, "0x12e9f2b7", seal, fee],
  ],
  [
    "AuRa as Parity has it",
    { ...unsealed, step: "317321911", signature: seal.slice(2) },
    [...upToExtraData, "0x12e9f2b7", seal, fee],
  ],
  [
    "the first block of an AuRa chain",
    { ...header, auraStep: "0x0", auraSeal: seal },
    [...upToExtraData, "0x", seal, fee],
  ],
  [
    "Avalanche",
    { ...header, extDataHash: word("e"), extDataGasUsed: "0x0", blockGasCost: "0x5" },
    [...head, word("e"), fee, "0x", "0x05"],
  ],
  [
    "Frontier, in milliseconds",
    { ...header, mixHash: undefined },
    [...frontier, "0x", word("0"), "0x0000000000000000"],
  ],
  [
    "a first block with gaps",
    { ...header, baseFeePerGas: undefined, blobGasUsed: "0x0", excessBlobGas: "0x2" },
    [...head, "0x", "0x02"],
  ],
]

test.each(headers)("the header of %s is hashed as the chain does", (_name, json, items) => {
  expect(keccakText(encodeHeader(json))).toBe(keccak256(toRlp(items as never)))
})

const [from, to, other] = [address("4"), address("5"), address("6")]
const id = word("8")
const signed = { v: "0x1", yParity: "0x1", r: word("7"), s: word("6") }
const fees = { chainId: "0xa4b1", nonce: "0x3", maxPriorityFeePerGas: "0x2", maxFeePerGas: "0x9", gas: "0x5208" }
const call = { to, value: "0x0", input: "0xabcd" }
const feesRlp = ["0xa4b1", "0x03", "0x02", "0x09", "0x5208"] as const
const callRlp = [to, "0x", "0xabcd"] as const
const signedRlp = ["0x01", word("7"), word("6")] as const
const arbitrum = { ...fees, ...call, from, requestId: id, v: "0x0", r: "0x0", s: "0x0" }
const retryable = { l1BaseFee: "0x1", depositValue: "0x2", retryTo: to, retryValue: "0x0", retryData: "0xef" }
const refunds = { beneficiary: other, maxSubmissionFee: "0x4", refundTo: address("7"), ticketId: word("9") }
const authorization = {
  chain_id: 945,
  address: to,
  nonce: "0x6",
  signature: { odd_y_parity: true, r: id, s: word("9") },
}
const celo = { ...fees, ...call, ...signed, feeCurrency: other }

const transactions: [string, string, Json, Rlp][] = [
  ["Arbitrum, a deposit", "0x64", { ...arbitrum, value: "0x10" }, ["0xa4b1", id, from, to, "0x10"]],
  ["Arbitrum, unsigned", "0x65", arbitrum, ["0xa4b1", from, "0x03", "0x09", "0x5208", ...callRlp]],
  [
    "Arbitrum, of a contract",
    "0x66",
    { ...arbitrum, to: null },
    ["0xa4b1", id, from, "0x09", "0x5208", "0x", "0x", "0xabcd"],
  ],
  [
    "Arbitrum, a retry",
    "0x68",
    { ...arbitrum, ...refunds, maxRefund: "0x5", submissionFeeRefund: "0x0" },
    ["0xa4b1", "0x03", from, "0x09", "0x5208", ...callRlp, word("9"), address("7"), "0x05", "0x"],
  ],
  [
    "Arbitrum, submitting a retryable",
    "0x69",
    { ...arbitrum, ...retryable, ...refunds },
    ["0xa4b1", id, from, "0x01", "0x02", "0x09", "0x5208", to, "0x", other, "0x04", address("7"), "0xef"],
  ],
  ["Arbitrum, internal", "0x6a", arbitrum, ["0xa4b1", "0xabcd"]],
  ["Celo, with a fee currency", "0x7b", celo, [...feesRlp, ...callRlp, [], other, ...signedRlp]],
  [
    "Celo, with a fee currency of none",
    "0x7b",
    { ...celo, feeCurrency: null },
    [...feesRlp, ...callRlp, [], "0x", ...signedRlp],
  ],
  [
    "Celo, with a gateway",
    "0x7c",
    { ...celo, gatewayFee: "0x0", gatewayFeeRecipient: from },
    [...feesRlp, other, from, "0x", ...callRlp, [], ...signedRlp],
  ],
  [
    "Scroll, a message from layer 1",
    "0x7e",
    { ...call, gas: "0x5208", queueIndex: "0x3db0e", sender: from },
    ["0x03db0e", "0x5208", ...callRlp, from],
  ],
  [
    "Frontier's spelling of authorizations",
    "0x4",
    { ...fees, ...call, ...signed, accessList: [], authorizationList: [authorization] },
    [...feesRlp, ...callRlp, [], [["0x03b1", to, "0x06", "0x01", id, word("9")]], ...signedRlp],
  ],
]

test.each(transactions)("%s (%s) is encoded as the chain does", (_name, type, json, items) => {
  expect(`0x${encodeTransaction({ type, ...json }).toString("hex")}`).toBe(typed(Number(type), items))
})

test("a transaction of Arbitrum from before Nitro is hashed as a legacy one", () => {
  const json = { type: "0x78", nonce: "0x5", gasPrice: "0x7", gas: "0x5208", ...call, ...signed, v: "0x14986" }
  const items = ["0x05", "0x07", "0x5208", ...callRlp, "0x014986", word("7"), word("6")] as const
  expect(`0x${encodeTransaction(json).toString("hex")}`).toBe(toRlp(items as never))
})
