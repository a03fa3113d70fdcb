import { parseGwei, serializeTransaction, type TransactionSerializable, keccak256 as viemKeccak } from "viem"
import { serializeTransaction as serializeOpTransaction } from "viem/op-stack"
import { expect, test } from "vitest"
import { CannotEncode } from "./consensus-fields.js"
import { encodeHeader } from "./encode-header.js"
import { encodeReceipt } from "./encode-receipt.js"
import { encodeTransaction } from "./encode-transaction.js"
import { keccakText } from "./keccak.js"
import { orderedTrieRoot } from "./trie-root.js"
import { emptyTrieRoot } from "./verify-block.js"

const word = (digit: string) => `0x${digit.repeat(64)}` as const
const zeros = (bytes: number) => `0x${"00".repeat(bytes)}`
const to = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
const hex = (bytes: Buffer) => `0x${bytes.toString("hex")}`
const quantity = (value: bigint | number) => `0x${value.toString(16)}`

test("the first block of Ethereum has the hash everyone knows", () => {
  const genesis = {
    parentHash: zeros(32),
    sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
    miner: zeros(20),
    stateRoot: "0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544",
    transactionsRoot: emptyTrieRoot,
    receiptsRoot: emptyTrieRoot,
    logsBloom: zeros(256),
    difficulty: "0x400000000",
    number: "0x0",
    gasLimit: "0x1388",
    gasUsed: "0x0",
    timestamp: "0x0",
    extraData: "0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa",
    mixHash: zeros(32),
    nonce: "0x0000000000000042",
  }
  expect(keccakText(encodeHeader(genesis))).toBe("0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3")
  expect(() => encodeHeader({ ...genesis, nonce: undefined })).toThrow(CannotEncode)
})

test("the trie of nothing is the empty root", () => {
  expect(orderedTrieRoot([])).toBe(emptyTrieRoot)
})

test("short nodes stand in their parent", () => {
  // By hand: a branch whose children 0 (index 1) and 8 (index 0) are leaves of three bytes.
  const branch = `0xd5${"c23102"}${"80".repeat(7)}${"c23001"}${"80".repeat(8)}` as const
  expect(orderedTrieRoot([Buffer.from([1]), Buffer.from([2])])).toBe(viemKeccak(branch))
})

const accessList = [{ address: to, storageKeys: [word("1"), word("2")] }] as const
const fees = { maxFeePerGas: parseGwei("3"), maxPriorityFeePerGas: 0n }
const body = { chainId: 10, nonce: 300, gas: 21_000n, to, value: 0n, data: "0x1234" } as const
const authorization = { chainId: 10, address: to, nonce: 7, r: word("7"), s: word("6"), yParity: 1 } as const
const blob = { maxFeePerBlobGas: 5n, blobVersionedHashes: [`0x01${"ab".repeat(31)}`] } as const
const cases: [string, TransactionSerializable, Record<string, unknown>][] = [
  ["0x0", { type: "legacy", ...body, gasPrice: 7n }, { gasPrice: "0x7" }],
  ["0x1", { type: "eip2930", ...body, gasPrice: 7n, accessList }, { gasPrice: "0x7", accessList }],
  ["0x2", { type: "eip1559", ...body, ...fees, accessList }, { accessList }],
  ["0x3", { type: "eip4844", ...body, ...fees, ...blob }, { accessList: [], maxFeePerBlobGas: "0x5", blobVersionedHashes: blob.blobVersionedHashes }],
  ["0x4", { type: "eip7702", ...body, ...fees, authorizationList: [authorization] }, { accessList: [], authorizationList: [{ ...authorization, chainId: "0xa", nonce: "0x7", yParity: "0x1" }] }],
] // biome-ignore format: table

test.each(cases)(
  "a transaction of type %s is encoded as an independent implementation does",
  (type, transaction, json) => {
    const signature = {
      r: word("7"),
      s: `0x00${"5".repeat(62)}`,
      yParity: 1,
      v: type === "0x0" ? 55n : undefined,
    } as const
    const encoded = encodeTransaction({
      type,
      chainId: "0xa",
      nonce: quantity(body.nonce),
      gas: quantity(body.gas),
      to,
      value: "0x0",
      input: body.data,
      maxFeePerGas: quantity(fees.maxFeePerGas),
      maxPriorityFeePerGas: "0x0",
      v: type === "0x0" ? "0x37" : "0x1",
      r: signature.r,
      s: `0x${"5".repeat(62)}`,
      ...json,
    })
    const expected = serializeTransaction(transaction, signature as never)
    expect(hex(encoded)).toBe(expected)
    expect(keccakText(encoded)).toBe(viemKeccak(expected))
  },
)

test.each([undefined, 5n])(
  "a deposit of the OP stack with mint %s is encoded as an independent implementation does",
  (mint) => {
    const sourceHash = word("3")
    const encoded = encodeTransaction({
      type: "0x7e",
      sourceHash,
      from: to,
      to,
      value: "0x9",
      gas: "0x5208",
      input: "0xabcd",
      isSystemTx: false,
      ...(mint === undefined ? {} : { mint: quantity(mint) }),
    })
    const expected = serializeOpTransaction({
      type: "deposit",
      sourceHash,
      from: to,
      to,
      mint,
      value: 9n,
      gas: 21_000n,
      data: "0xabcd",
    })
    expect(hex(encoded)).toBe(expected)
  },
)

test("a deposit's receipt has its two fields only since the fork that hashes them", () => {
  const receipt = {
    type: "0x7e",
    status: "0x1",
    cumulativeGasUsed: "0x5",
    logsBloom: zeros(256),
    logs: [],
    depositNonce: "0x2",
  }
  const before = encodeReceipt(receipt, {})
  const after = encodeReceipt({ ...receipt, depositReceiptVersion: "0x1" }, {})
  expect(after.length - before.length).toBe(2)
  expect(hex(after).endsWith("c00201")).toBe(true)
})

test("what cannot be encoded is named", () => {
  expect(() => encodeTransaction({ type: "0x63" })).toThrow("transaction type 0x63 is not known")
  expect(() => encodeTransaction({ type: "0x0", nonce: "0x1" })).toThrow("field gasPrice")
})
