import { expect, test } from "vitest"
import { ChainAnswers } from "../../../../test/chain/chain-answers.js"
import type { FetchedBlock } from "./block-json.js"
import { BloomReader } from "./bloom.js"
import { decodeBlock } from "./decode-block.js"
import { parseExactJson } from "./exact-json.js"
import { pairReceipts } from "./pair-receipts.js"
import { headerJson, receiptJson, transactionJson } from "./rebuild-json.js"

const reader = new BloomReader()
type Parts = Pick<FetchedBlock, "block" | "receipts">
const chainId = "0x539"

function decodeText(text: string, height: number) {
  const parts = JSON.parse(text) as Parts
  const fetched: FetchedBlock = {
    ...parts,
    height,
    bytes: text.length,
    provider: "test",
    exact: () => parseExactJson(text) as Parts,
  }
  const paired = pairReceipts(fetched)
  return decodeBlock(paired, reader.read(paired.receipts), { chainId })
}

function rebuild(raw: ReturnType<typeof decodeText>): unknown {
  const of = (i: number) => raw.events.filter((event) => event.transactionIndex === i)
  return {
    block: {
      ...headerJson(raw),
      transactions: raw.transactions.map((row) => transactionJson(row, raw, { chainId })),
    },
    receipts: raw.transactions.map((row, i) => receiptJson(row, of(i), raw)),
  }
}

const example = new ChainAnswers({ transactionsPerBlock: 2, logsPerBlock: 2 }).block(5)

test("a plain block needs no extra for its transactions and logs", () => {
  const raw = decodeText(JSON.stringify(example), 5)
  expect(raw.transactions.map((row) => row.extra)).toEqual([null, null])
  expect(raw.events.map((event) => event.extra)).toEqual([null, null])
  expect(raw).toMatchObject({ height: 5, transactionCount: 2, eventCount: 2 })
  expect(raw.timestampUs).toBe(1_700_000_060_000_000n)
  const { r, s } = example.block.transactions[1]!
  expect(raw.transactions[1]!.signature).toBe(`${r}${(s as string).slice(2)}01`)
  expect(JSON.parse(raw.extra!)).not.toHaveProperty("logsBloom")
  expect(rebuild(raw)).toEqual(example)
})

test("any one field changed, removed or added anywhere survives decoding and rebuilding", () => {
  const changes: unknown[] = [null, "0x0", "0x00", "0xAB", "0x1f", 5, false, true, [], ["0x1"], {}, "\u0000\ud800"]
  const text = JSON.stringify(example)
  const targets: ((copy: typeof example) => Record<string, unknown>)[] = [
    (copy) => copy.block,
    (copy) => copy.block.transactions[0]!,
    (copy) => copy.receipts[0]!,
    (copy) => copy.receipts[1]!.logs[0]!,
  ]
  // What a block cannot be stored without is a failed check before it comes to decoding.
  const needed = new Set([
    "hash",
    "parentHash",
    "timestamp",
    "number",
    "transactions",
    "logs",
    "address",
    "topics",
    "data",
    "logIndex",
  ])
  let tried = 0
  for (const target of targets) {
    for (const key of [...Object.keys(target(example)), "unknown", "~absent", "constructor"]) {
      if (needed.has(key) || (key === "transactionHash" && target === targets[2])) continue
      for (const change of [undefined, ...changes]) {
        const copy = JSON.parse(text) as typeof example
        if (change === undefined) delete target(copy)[key]
        else target(copy)[key] = change
        expect(rebuild(decodeText(JSON.stringify(copy), 5)), `${key} = ${JSON.stringify(change)}`).toEqual(copy)
        tried++
      }
    }
  }
  expect(tried).toBeGreaterThan(700)
})

test("a legacy transaction bound to the chain needs no extra", () => {
  const copy = JSON.parse(JSON.stringify(example)) as typeof example
  const tx = copy.block.transactions[0]!
  for (const key of ["maxFeePerGas", "maxPriorityFeePerGas", "accessList", "yParity"]) delete tx[key]
  Object.assign(tx, { type: "0x0", v: "0xa95" })
  copy.receipts[0]!["type"] = "0x0"
  const raw = decodeText(JSON.stringify(copy), 5)
  expect(raw.transactions[0]).toMatchObject({ extra: null, type: 0 })
  expect(raw.transactions[0]!.signature!.slice(130)).toBe("0a95")
  expect(rebuild(raw)).toEqual(copy)
})
