// Blocks of real chains, read from the directory that REAL_BLOCKS names: they are too large, and of too many owners,
// to be kept here. What they showed is tested with blocks of our own in chain-shapes.test.ts.

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { BlockJson, ReceiptJson } from "./block-json.js"
import { BloomReader } from "./bloom.js"
import { type ChainRules, chainRules, checksUnder, rulesOf } from "./chain-rules.js"
import type { Fields } from "./consensus-fields.js"
import { decodeBlock } from "./decode-block.js"
import { encodeHeader } from "./encode-header.js"
import { encodeReceipt } from "./encode-receipt.js"
import { encodeTransaction } from "./encode-transaction.js"
import { parseExactJson, stringifyExact } from "./exact-json.js"
import { keccakText } from "./keccak.js"
import { type PairedBlock, pairReceipts } from "./pair-receipts.js"
import { headerJson, receiptJson, transactionJson } from "./rebuild-json.js"
import { orderedTrieRoot } from "./trie-root.js"
import { allChecks, everyFailure } from "./verify-block.js"
import { verifyRoots } from "./verify-roots.js"

interface RealBlock {
  readonly chainId: string
  readonly block: BlockJson
  /** Null where only the block is known. */
  readonly receipts: readonly ReceiptJson[] | null
}

const directory = process.env["REAL_BLOCKS"] ?? ""
const files = directory === "" ? [] : (readdirSync(directory, { recursive: true }) as string[]).sort()
const jsonUnder = (pattern: RegExp): string[] => files.filter((name) => /\.json$/.test(name) && pattern.test(name))
const read = <T>(name: string): T => JSON.parse(readFileSync(join(directory, name), "utf8")) as T

/** Altered by hand by those who published it. */
const alteredHeaders = ["goerli/8443561.json"]
/** The answers of a node that left receipts out. */
const isIncomplete = (name: string): boolean => name.includes("receipts-missing")

const blooms = new BloomReader()

function load(name: string) {
  const text = readFileSync(join(directory, name), "utf8")
  const { chainId, block, receipts } = JSON.parse(text) as RealBlock
  const ofChain = rulesOf(BigInt(chainId).toString())
  const unproven = { ...ofChain.unproven }
  if (receipts === null) unproven.receipts = "always"
  if (alteredHeaders.includes(name)) Object.assign(unproven, { header: "always", withdrawals: "always" })
  const rules: ChainRules = { ...ofChain, unproven }
  const paired = pairReceipts({
    block,
    receipts: receipts ?? [],
    height: Number(block.number),
    bytes: text.length,
    provider: "test",
    exact: () => {
      const exact = parseExactJson(text) as RealBlock
      return { block: exact.block, receipts: exact.receipts ?? [] }
    },
  })
  const fetched: PairedBlock = { ...paired, unrooted: rules.unrooted?.(block) }
  return { chainId, rules, receipts, fetched, report: blooms.read(fetched.receipts, fetched.unrooted) }
}

/** Each rule without one of its exceptions: chain, exception, the ids of the rule, what is left of it. */
const rulesWithout = [...new Set(Object.values(chainRules))].flatMap((rules) => {
  const ids = Object.keys(chainRules).filter((id) => chainRules[id] === rules)
  const { unchecked, unproven, opaqueTypes, name } = rules
  const left: [string, ChainRules][] = [
    ...unchecked.map((check): [string, ChainRules] => [
      check,
      { ...rules, unchecked: unchecked.filter((other) => other !== check) },
    ]),
    ...Object.keys(unproven).map((part): [string, ChainRules] => [
      part,
      { ...rules, unproven: Object.fromEntries(Object.entries(unproven).filter(([other]) => other !== part)) },
    ]),
    ...opaqueTypes.map((type): [string, ChainRules] => [`type ${type}`, { ...rules, opaqueTypes: [] }]),
  ]
  return left.map(([what, others]) => [name, what, ids, others] as const)
})

if (directory === "") console.warn("REAL_BLOCKS is not set: no block of a real chain is read")

describe.skipIf(directory === "")("blocks of real chains", () => {
  test.each(jsonUnder(/^[a-z]/))("%s is stored without loss", (name) => {
    const { chainId, fetched, report, receipts } = load(name)
    const rows = decodeBlock(fetched, report, { chainId })
    const events = (i: number) => rows.events.filter((event) => event.transactionIndex === i)
    const rebuilt = {
      header: headerJson(rows),
      transactions: rows.transactions.map((row) => transactionJson(row, rows, { chainId })),
      receipts: rows.transactions.flatMap((row, i) => receiptJson(row, events(i), rows) ?? []),
    }
    const { transactions, ...header } = fetched.exact().block
    expect(plain(rebuilt)).toEqual(plain({ header, transactions, receipts: receipts ?? [] }))
  })

  test.each(jsonUnder(/^[a-z]/))("%s passes every check that its chain can pass", (name) => {
    const { rules, fetched, report, receipts } = load(name)
    const checks = checksUnder(rules, allChecks)
    if (isIncomplete(name)) {
      const { block } = fetched
      expect(everyFailure(fetched, report, checks)[0]).toMatchObject({ check: "counts", got: "missing" })
      expect(fetched.receipts).toHaveLength(block.transactions.length)
      return
    }
    if (receipts !== null) expect(everyFailure(fetched, report, checks)).toEqual([])
    expect(verifyRoots(fetched, rules)).toBeUndefined()
  })

  test.each(rulesWithout)("%s is not checked for %s only because a block of it fails", (_chain, _what, ids, rules) => {
    const names = jsonUnder(/^[a-z]/).filter((name) => !isIncomplete(name))
    const failed = names.some((name) => {
      const { chainId, fetched, report, receipts } = load(name)
      if (!ids.includes(BigInt(chainId).toString())) return false
      const [without] = receipts === null ? [] : everyFailure(fetched, report, checksUnder(rules, allChecks))
      const known = receipts === null ? { ...rules.unproven, receipts: "always" as const } : rules.unproven
      return (without ?? verifyRoots(fetched, { ...rules, unproven: known })) !== undefined
    })
    expect(failed).toBe(true)
  })

  test.each(jsonUnder(/^_transactions/))("%s has the hash that is computed from it", (name) => {
    const { transaction } = read<{ transaction: Fields }>(name)
    expect(keccakText(encodeTransaction(transaction))).toBe(transaction["hash"])
  })

  test.each(jsonUnder(/^_header-and-receipts/))("%s has the hash and the root that are computed from it", (name) => {
    const { block, receipts } = read<{ block: Fields; receipts: readonly Fields[] }>(name)
    expect(keccakText(encodeHeader(block))).toBe(block["hash"])
    const encoded = receipts.map((receipt) => encodeReceipt(receipt, {}))
    expect(orderedTrieRoot(encoded)).toBe(block["receiptsRoot"])
  })
})

/** As JSON has it, numbers as their text. */
const plain = (value: unknown): unknown => JSON.parse(stringifyExact(value).replace(/-?\d{16,}(?=[,}\]])/g, '"$&"'))
