// What real chains do otherwise than Ethereum, in blocks of our own, from a node to the rows: each is stored under its
// chain's id with VERIFY=roots, and under another id only if no rule of the chain is needed.

import { concat, keccak256, numberToHex, toRlp } from "viem"
import { afterEach, expect, test } from "vitest"
import { answerCalls, startRpcServer } from "../../../../test/fixtures/evm/rpc-server.js"
import {
  address,
  emptyBloom,
  headItems,
  type Json,
  legacyTransaction,
  log,
  rlpNumber,
  type ShapedBlock,
  shapeBlock,
  typed,
  word,
} from "../../../../test/fixtures/evm/shaped-block.js"
import { systemClock } from "../../../platform/clock.js"
import { IndexerError } from "../../../platform/errors.js"
import { silentLogger } from "../../../platform/logger.js"
import { systemRandom } from "../../../platform/random.js"
import type { EvmBlock } from "../raw/evm-block.js"
import { EvmSource, type EvmSourceOptions } from "./evm-source.js"
import { headerJson, receiptJson, transactionJson } from "./rebuild-json.js"

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const otherChain = 1

async function fetchFrom(
  chainId: number,
  { block, receipts }: ShapedBlock,
  options: Partial<EvmSourceOptions> = {},
): Promise<EvmBlock> {
  const server = await startRpcServer(
    answerCalls(({ method }) =>
      method === "eth_chainId" ? numberToHex(chainId) : method === "eth_getBlockReceipts" ? receipts : block,
    ),
  )
  const deps = { clock: systemClock, random: systemRandom, logger: silentLogger }
  const times = { backoffMs: 1, refetchDelayMs: 1, refetches: 1 }
  const providers = [{ url: server.url }]
  const source = new EvmSource(deps, { providers, verify: "roots", ...times, ...options })
  closers.push(
    () => source.close(),
    () => server.close(),
  )
  const from = Number(block["number"])
  for await (const [first] of source.fetchRange({ from, to: from + 1 }, { signal: new AbortController().signal })) {
    expect(rebuilt(first!, numberToHex(chainId))).toEqual({ block, receipts })
    return first!
  }
  throw new Error("no block came")
}

function rebuilt(rows: EvmBlock, chainId: string): unknown {
  const events = (i: number) => rows.events.filter(({ transactionIndex }) => transactionIndex === i)
  return {
    block: {
      ...headerJson(rows),
      transactions: rows.transactions.map((row) => transactionJson(row, rows, { chainId })),
    },
    receipts: rows.transactions.map((row, i) => receiptJson(row, events(i), rows)),
  }
}

async function refusal(chainId: number, block: ShapedBlock): Promise<readonly string[]> {
  const error = await fetchFrom(chainId, block).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toMatchObject({ code: "VERIFY_UNSUPPORTED" })
  return (error as IndexerError).data["failed"] as readonly string[]
}

/** The hash of the state-sync transaction is that of the block's own hash, which does not depend on it. */
function withStateSync(height: number): ShapedBlock {
  const first = legacyTransaction(1, { logs: [log("a")] })
  const { hash } = shapeBlock({ transactions: [first] }).block
  const key = concat([numberToHex(0x6d61746963n), "0x2d626f722d726563656970742d", numberToHex(height, { size: 8 })])
  const nothing = { gas: "0x0", gasPrice: "0x0", value: "0x0", input: "0x", v: "0x0", r: "0x0", s: "0x0" }
  const json = { hash: keccak256(concat([key, hash as `0x${string}`])), from: address("0"), to: address("0") }
  const sync = { json: { type: "0x0", nonce: "0x0", ...nothing, ...json }, logs: [log("b")], isUnrooted: true }
  return shapeBlock({ transactions: [first, sync] })
}

test("Polygon's state-sync transaction is a row, and in no root, bloom or sum", async () => {
  const rows = await fetchFrom(137, withStateSync(1000))
  expect(rows.events.map(({ address: by }) => by)).toEqual([address("a"), address("b")])
  expect(rows.transactions.map(({ eventCount }) => eventCount)).toEqual([1, 1])
  expect(await refusal(otherChain, withStateSync(1000))).toEqual(["gas", "bloom", "roots"])
  // The hash of another height's: a transaction that is merely called so.
  expect(await refusal(137, withStateSync(1001))).toContain("roots")
})

test("a block of Polygon with nothing but a state-sync transaction is not an empty one that lies", async () => {
  const { hash } = shapeBlock().block
  const key = concat([numberToHex(0x6d61746963n), "0x2d626f722d726563656970742d", numberToHex(1000, { size: 8 })])
  const json = { hash: keccak256(concat([key, hash as `0x${string}`])), from: address("0"), to: address("0") }
  const block = shapeBlock({ transactions: [{ json, logs: [log("b")], isUnrooted: true }] })
  expect((await fetchFrom(80002, block)).eventCount).toBe(1)
  expect(await refusal(otherChain, block)).toContain("counts")
})

test("HyperEVM's system transactions are rows, and in no root, bloom or sum", async () => {
  const from = `0x2${"0".repeat(36)}10c`
  const signature = { r: "0x1", s: from, v: "0x7f2", gasPrice: "0x0" }
  const system = legacyTransaction(9, { json: { from, ...signature }, logs: [log("c")], isUnrooted: true })
  const block = shapeBlock({ transactions: [system, legacyTransaction(1, { logs: [log("a")] })] })
  expect((await fetchFrom(999, block)).transactionCount).toBe(2)
  expect(await refusal(otherChain, block)).toEqual(["bloom", "roots"])
})

test("Tempo's header holds Ethereum's, and its transactions of several calls have no receiver", async () => {
  const calls = { type: "0x76", hash: word("9"), to: undefined, calls: [{ to: address("8"), input: "0x" }] }
  const transactions = [legacyTransaction(1), { json: calls, receipt: { to: address("8") } }]
  const header = { mainBlockGeneralGasLimit: "0x10", sharedGasLimit: "0x0", timestampMillisPart: "0x9" }
  const hashed = (block: Json) => [
    ...Object.keys(header).map((key) => rlpNumber(block[key])),
    [...headItems(block), rlpNumber(block["baseFeePerGas"])],
  ]
  const block = shapeBlock({ transactions, header, hashed })
  const rows = await fetchFrom(4217, block)
  expect(rows.transactions.map(({ to }) => to)).toEqual([address("5"), address("8")])
  expect(await refusal(otherChain, block)).toEqual(["roots"])
  const consensusContext = { epoch: 9, view: 300, parentView: 299, proposer: word("e") }
  const context = ["0x09", "0x012c", "0x012b", word("e")] as const
  const later = { header: { ...header, consensusContext }, hashed: (json: Json) => [...hashed(json), context] }
  await fetchFrom(42431, shapeBlock({ transactions, ...later }))
})

test("Cronos leaves out logs that its bloom and its numbers count", async () => {
  const gap = [
    legacyTransaction(1, { logs: [log("a")] }),
    legacyTransaction(2, { logs: [{ ...log("b"), logIndex: "0x7" }] }),
  ]
  const header = { logsBloom: `0x${"f".repeat(512)}`, hash: word("d"), transactionsRoot: word("e") }
  const block = shapeBlock({ transactions: gap, header: { ...header, receiptsRoot: word("f") } })
  expect((await fetchFrom(25, block)).events.map(({ index }) => index)).toEqual([0, 7])
  expect(await refusal(otherChain, block)).toEqual(["logOrder", "bloom", "roots"])
})

test("Stable numbers the logs of each transaction from 0, and has a type and a header of its own", async () => {
  const restarted = { logs: [{ ...log("b"), logIndex: "0x0" }] }
  const own = { json: { type: "0x3f", hash: word("9"), nonce: "0x0" }, ...restarted }
  const transactions = [legacyTransaction(1, { logs: [log("a")] }), own]
  const block = shapeBlock({ transactions, header: { hash: word("d") } })
  expect((await fetchFrom(988, block)).events.map(({ index }) => index)).toEqual([0, 0])
  expect(await refusal(otherChain, block)).toEqual(["logOrder", "roots"])
})

test("Fantom's block hashes are its own, and all else is proven", async () => {
  const header = { hash: `0x0000000100000002${"5".repeat(48)}` }
  await fetchFrom(250, shapeBlock({ transactions: [legacyTransaction(1)], header }))
  const forged = shapeBlock({ transactions: [legacyTransaction(1)], header: { ...header, receiptsRoot: word("f") } })
  expect(await refusal(250, forged)).toEqual(["roots"])
})

test("VeChain has no running sum of gas, and hashes of its own", async () => {
  const json = { hash: word("9"), nonce: "0xb8314776ce0bf5df", v: "0x0", r: "0x0", s: "0x0", yParity: "0x0" }
  const transactions = [legacyTransaction(1, { json, receipt: { cumulativeGasUsed: "0x0" } })]
  const block = shapeBlock({ transactions, header: { hash: word("d"), baseFeePerGas: null } })
  await fetchFrom(100010, block)
  expect(await refusal(otherChain, block)).toEqual(["gas", "roots"])
})

test("ZKsync Era has neither blooms nor sums nor roots", async () => {
  const receipt = { cumulativeGasUsed: "0x0", logsBloom: emptyBloom, root: word("d") }
  const own = { json: { type: "0x71", hash: word("9"), nonce: "0xf" }, logs: [log("a")], receipt }
  const zeros = { logsBloom: emptyBloom, transactionsRoot: word("0"), receiptsRoot: word("0"), hash: word("d") }
  const block = shapeBlock({ transactions: [own], header: zeros })
  expect((await fetchFrom(324, block)).transactions[0]!.status).toBe(1)
  expect(await refusal(otherChain, block)).toEqual(["gas", "bloom", "roots"])
})

test("the receipts of Arbitrum One are proven from the first block of Nitro on", async () => {
  const header = { receiptsRoot: word("f") }
  const at = (number: string) => shapeBlock({ header: { ...header, number } })
  await fetchFrom(42161, at(numberToHex(22_207_816)))
  expect(await refusal(42161, at(numberToHex(22_207_817)))).toEqual(["roots"])
})

test("a receipt from before Byzantium is proven by its state root, not by the status beside it", async () => {
  const receipt = { status: "0x0", root: word("9") }
  const transactions = [legacyTransaction(1, { receipt, outcome: word("9"), logs: [log("a")] })]
  const header = { baseFeePerGas: undefined }
  const rows = await fetchFrom(3, shapeBlock({ transactions, header }))
  expect(rows.transactions[0]!.status).toBeNull()
  const empty = [legacyTransaction(1, { receipt: { status: "0x1", root: "0x" } })]
  expect((await fetchFrom(3, shapeBlock({ transactions: empty, header }))).transactions[0]!.status).toBe(1)
})

const feeMarketJson = {
  ...{ type: "0x2", chainId: "0x1", nonce: "0x1", maxPriorityFeePerGas: "0x0", maxFeePerGas: "0x9", gasPrice: "0x7" },
  ...{ gas: "0x5208", to: address("5"), value: "0x0", input: "0x", r: word("7"), s: word("6") },
}
const feeMarketItems = ["0x01", "0x01", "0x", "0x09", "0x5208", address("5"), "0x", "0x", []] as const

test("an access list that a node leaves out is an empty one", async () => {
  const encoded = typed(2, [...feeMarketItems, "0x01", word("7"), word("6")])
  const json = { ...feeMarketJson, v: "0x1", yParity: "0x1" }
  await fetchFrom(1, shapeBlock({ transactions: [{ json, encoded }] }))
})

test("the parity that the hash proves is stored in the signature, whatever a node says of v", async () => {
  const encoded = typed(2, [...feeMarketItems, "0x01", word("7"), word("6")])
  const json = { ...feeMarketJson, accessList: [], v: "0x1c", yParity: "0x1" }
  const rows = await fetchFrom(1, shapeBlock({ transactions: [{ json, encoded }] }))
  expect(rows.transactions[0]!.signature).toBe(`${word("7")}${word("6").slice(2)}01`)
})

const withdrawal = (index: string): Json => ({ index, validatorIndex: "0x0", address: address("3"), amount: "0x1f4" })
const withdrawn = (withdrawals: unknown, header: Json = {}, transactions = [legacyTransaction(1)]) =>
  shapeBlock({
    transactions,
    header: { withdrawalsRoot: oneWithdrawal, withdrawals, ...header },
    hashed: (block) => [
      ...[...headItems(block), rlpNumber(block["baseFeePerGas"])],
      block["withdrawalsRoot"] as `0x${string}`,
    ],
  })
// A trie of one leaf, by hand: the key is 0x80, the item the RLP of the withdrawal.
const leaf = toRlp(["0x07", "0x", address("3"), "0x01f4"])
const oneWithdrawal = keccak256(toRlp(["0x2080", leaf]))

test("withdrawals are proven by their root", async () => {
  await fetchFrom(1, withdrawn([withdrawal("0x7")]))
  for (const wrong of [[], [withdrawal("0x8")], [withdrawal("0x7"), withdrawal("0x8")], undefined]) {
    expect(await refusal(1, withdrawn(wrong))).toEqual(["roots"])
  }
})

test("a block of the OP stack may have another root beside an empty list of withdrawals", async () => {
  const json = { type: "0x7e", sourceHash: word("4"), from: address("4"), to: address("5"), isSystemTx: false }
  const items = [word("4"), address("4"), address("5"), "0x", "0x", "0x5208", "0x", "0x"] as const
  const amounts = { mint: "0x0", value: "0x0", gas: "0x5208", input: "0x" }
  const deposit = { json: { ...json, ...amounts }, encoded: typed(0x7e, items) }
  await fetchFrom(10, withdrawn([], {}, [deposit]))
  expect(await refusal(10, withdrawn([withdrawal("0x8")], {}, [deposit]))).toEqual(["roots"])
})

test("a chain that is not checked in full says so when it is first asked for its id", async () => {
  const said: string[] = []
  const logger = { ...silentLogger, info: (_: unknown, message: string) => void said.push(message) }
  const server = await startRpcServer(answerCalls(({ method }) => (method === "eth_chainId" ? "0xfa" : null)))
  const deps = { clock: systemClock, random: systemRandom, logger }
  const source = new EvmSource(deps, { providers: [{ url: server.url }] })
  closers.push(
    () => source.close(),
    () => server.close(),
  )
  await source.identity({ signal: new AbortController().signal })
  expect(said).toEqual(["not checked on Fantom: with VERIFY=roots header"])
})

test("all checks that a block fails are named at once, with one line for the config", async () => {
  const receipt = { cumulativeGasUsed: "0x1", logsBloom: emptyBloom }
  const transactions = [legacyTransaction(1, { receipt, logs: [{ ...log("a"), logIndex: "0x5" }] })]
  const error: unknown = await fetchFrom(otherChain, shapeBlock({ transactions })).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(IndexerError)
  const { message, data } = error as IndexerError
  const config = 'checks: { gas: false, logOrder: false, bloom: false }, verify: "standard"'
  expect(data).toMatchObject({ check: "gas", failed: ["gas", "logOrder", "bloom", "roots"], config })
  expect(message).toContain(config)
  for (const what of ["gasUsed, as the last", "logIndex of log 0", "logsBloom of receipt 0", "receiptsRoot"]) {
    expect(message).toContain(what)
  }
})
