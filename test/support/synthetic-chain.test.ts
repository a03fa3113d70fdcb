// The synthetic chain checked by code that shares nothing with it but keccak: viem's RLP and transaction encoding, and
// a bloom and a trie of its own.

import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { keccak_256 } from "@noble/hashes/sha3"
import { type Hex, serializeTransaction, toRlp } from "viem"
import { describe, expect, it } from "vitest"
import { openDatasetChain } from "../chain/dataset-chain.js"
import { type Chain, createChain } from "../chain/synthetic-chain.js"
import { orderedTrieRoot } from "../chain/trie-root.js"

interface Log {
  address: Hex
  topics: Hex[]
  data: Hex
  logIndex: Hex
  blockHash: Hex
  transactionHash: Hex
  transactionIndex: Hex
}
interface Receipt {
  transactionHash: Hex
  blockHash: Hex
  logs: Log[]
  logsBloom: Hex
  gasUsed: Hex
  cumulativeGasUsed: Hex
  status: Hex
}
type Fields = Record<string, Hex>
type Block = Fields & { transactions: never }

const small = { blocks: 40, transactionsPerBlock: 5, logsPerBlock: 12, holders: 200 }
const bytes = (hex: string) => Buffer.from(hex.length % 2 ? `0${hex.slice(2)}` : hex.slice(2), "hex")
const keccak = (data: Uint8Array): Hex => `0x${Buffer.from(keccak_256(data)).toString("hex")}`
const quantity = (hex: string): Hex => (BigInt(hex) === 0n ? "0x" : `0x${bytes(hex).toString("hex")}`)

const block = (chain: Chain, height: number): Block => JSON.parse(chain.block(height, "full").toString())
const transactions = (of: Block): Fields[] => of.transactions
const receipts = (chain: Chain, height: number): Receipt[] =>
  JSON.parse(chain.block(height, "receipts").toString())

function headerHash(of: Block): Hex {
  const plain = (name: string): Hex => of[name]!
  const number = (name: string): Hex => quantity(of[name]!)
  const fields = [
    ...[
      "parentHash",
      "sha3Uncles",
      "miner",
      "stateRoot",
      "transactionsRoot",
      "receiptsRoot",
      "logsBloom",
    ].map(plain),
    ...["difficulty", "number", "gasLimit", "gasUsed", "timestamp"].map(number),
    ...["extraData", "mixHash", "nonce"].map(plain),
    number("baseFeePerGas"),
    plain("withdrawalsRoot"),
    number("blobGasUsed"),
    number("excessBlobGas"),
    plain("parentBeaconBlockRoot"),
  ]
  return keccak(toRlp(fields, "bytes"))
}

const masks = new Map<string, bigint>()
function maskOf(value: Hex): bigint {
  let mask = masks.get(value)
  if (mask === undefined) {
    const hash = Buffer.from(keccak_256(bytes(value)))
    mask = [0, 2, 4].reduce((bits, at) => bits | (1n << BigInt(hash.readUInt16BE(at) % 2048)), 0n)
    masks.set(value, mask)
  }
  return mask
}

function bloom(logs: readonly Log[]): Hex {
  const values = new Set(logs.flatMap((log) => [log.address, ...log.topics]))
  let bits = 0n
  for (const value of values) bits |= maskOf(value)
  return `0x${bits.toString(16).padStart(512, "0")}`
}

function expectConsistent(chain: Chain): void {
  let parentHash = `0x${"00".repeat(32)}`
  for (let height = 0; height <= chain.options.blocks; height++) {
    const full = block(chain, height)
    const hashes = JSON.parse(chain.block(height, "hashes").toString())
    const its = receipts(chain, height)
    const logs = its.flatMap((receipt) => receipt.logs)
    expect(headerHash(full)).toBe(full["hash"])
    expect(full["hash"]).toBe(chain.hashAt(height))
    expect(full["parentHash"]).toBe(parentHash)
    expect(Number(full["number"])).toBe(height)
    expect(full["logsBloom"]).toBe(bloom(logs))
    expect({ ...full, transactions: transactions(full).map((item) => item["hash"]) }).toEqual(hashes)
    expect(its.map((receipt) => receipt.transactionHash)).toEqual(hashes.transactions)
    expect(logs.map((log) => Number(log.logIndex))).toEqual(logs.map((_, index) => index))
    let gas = 0
    for (const receipt of its) {
      gas += Number(receipt.gasUsed)
      expect(receipt.logsBloom).toBe(bloom(receipt.logs))
      expect(Number(receipt.cumulativeGasUsed)).toBe(gas)
      expect(receipt.logs.every((log) => log.transactionHash === receipt.transactionHash)).toBe(true)
      expect([receipt, ...receipt.logs].every((item) => item.blockHash === full["hash"])).toBe(true)
    }
    expect(Number(full["gasUsed"])).toBe(gas)
    parentHash = full["hash"]!
  }
}

describe("a synthetic chain", () => {
  it("has header hashes, parents, blooms, gas and indexes that fit together", () => {
    expectConsistent(createChain(small))
  })

  it("is the same for the same options and another for another seed", () => {
    const last = (seed: number) =>
      createChain({ ...small, seed })
        .block(small.blocks, "receipts")
        .toString()
    expect(last(7)).toBe(last(7))
    expect(last(7)).not.toBe(last(8))
  })

  it("has every kind of log", () => {
    const chain = createChain(small)
    const logs = Array.from({ length: small.blocks }, (_, at) => receipts(chain, at + 1)).flat(1)
    const shapes = new Set(
      logs.flatMap((r) => r.logs).map((log) => `${log.topics[0]!.slice(0, 10)} ${log.topics.length}`),
    )
    const transfer = keccak(Buffer.from("Transfer(address,address,uint256)")).slice(0, 10)
    const approval = keccak(Buffer.from("Approval(address,address,uint256)")).slice(0, 10)
    const swap = keccak(Buffer.from("Swap(address,uint256,uint256,uint256,uint256,address)")).slice(0, 10)
    expect([...shapes].sort()).toEqual(
      [`${transfer} 3`, `${transfer} 4`, `${approval} 3`, `${swap} 3`].sort(),
    )
  })

  it("can hold one huge block", () => {
    const chain = createChain({ ...small, blocks: 4, hugeBlockAt: 3, hugeBlockLogs: 50_000 })
    const its = receipts(chain, 3)
    expect(its.length).toBeLessThan(10)
    expect(its.flatMap((receipt) => receipt.logs)).toHaveLength(50_000)
    expect(receipts(chain, 2)).toHaveLength(small.transactionsPerBlock)
    expectConsistent(chain)
  })
})

describe("a fork", () => {
  it("shares the blocks below its height and none from there on", () => {
    const main = createChain(small)
    for (const fork of [
      main.fork({ at: 20, seed: 99 }),
      createChain({ ...small, forkAt: 20, forkSeed: 99 }),
    ]) {
      for (let height = 0; height <= small.blocks; height++) {
        expect(fork.hashAt(height) === main.hashAt(height)).toBe(height < 20)
      }
      expect(block(fork, 20)["parentHash"]).toBe(main.hashAt(19))
      expectConsistent(fork)
    }
  })

  it("of a fork differs from both", () => {
    const main = createChain(small)
    const first = main.fork({ at: 20, seed: 2 })
    for (const at of [10, 30]) {
      const second = first.fork({ at, seed: 3 })
      expect(second.hashAt(at - 1)).toBe(first.hashAt(at - 1))
      expect(second.hashAt(at)).not.toBe(first.hashAt(at))
      expectConsistent(second)
    }
  })

  it("finds blocks and transactions of both sides by hash, up to a height", () => {
    const main = createChain(small)
    const fork = main.fork({ at: 20, seed: 2 })
    for (const height of [5, 25]) {
      const hash = transactions(block(fork, height))[2]!["hash"]!
      expect(fork.heightOfHash(fork.hashAt(height), small.blocks)).toBe(height)
      expect(fork.heightOfHash(fork.hashAt(height), height - 1)).toBeUndefined()
      expect(fork.findTransaction(hash, small.blocks)).toEqual({ height, index: 2 })
      expect(fork.findTransaction(hash, height - 1)).toBeUndefined()
    }
    expect(fork.heightOfHash(main.hashAt(25), small.blocks)).toBeUndefined()
  })
})

describe("real roots", () => {
  it("are the roots of the served transactions and receipts", () => {
    const chain = createChain({ ...small, blocks: 3, transactionsPerBlock: 140, realRoots: true })
    expectConsistent(chain)
    for (const height of [1, 2, 3]) {
      const full = block(chain, height)
      const encoded = transactions(full).map((item) =>
        serializeTransaction(
          {
            type: "eip1559",
            chainId: Number(item["chainId"]),
            nonce: Number(item["nonce"]),
            to: item["to"]!,
            value: BigInt(item["value"]!),
            data: item["input"]!,
            gas: BigInt(item["gas"]!),
            maxFeePerGas: BigInt(item["maxFeePerGas"]!),
            maxPriorityFeePerGas: BigInt(item["maxPriorityFeePerGas"]!),
          },
          { r: item["r"]!, s: item["s"]!, yParity: 1 },
        ),
      )
      expect(encoded.map((item) => keccak(bytes(item)))).toEqual(
        transactions(full).map((item) => item["hash"]),
      )
      expect(full["transactionsRoot"]).toBe(trieRoot(encoded))
      const logFields = (log: Log) => [log.address, log.topics, log.data]
      const ours = receipts(chain, height).map(
        (r): Hex =>
          `0x02${toRlp([quantity(r.status), quantity(r.cumulativeGasUsed), r.logsBloom, r.logs.map(logFields)] as never).slice(2)}`,
      )
      expect(full["receiptsRoot"]).toBe(trieRoot(ours))
    }
  })

  it("hold for items of any size, where small nodes stand inside their parents", () => {
    for (const count of [1, 2, 16, 17, 127, 128, 129, 300]) {
      for (const size of [1, 5, 27, 28, 29, 30, 31, 40]) {
        const items = Array.from({ length: count }, (_, at) => Buffer.alloc(size, 1 + (at % 100)))
        const asHex = items.map((item): Hex => `0x${item.toString("hex")}`)
        expect(orderedTrieRoot(items)).toBe(trieRoot(asHex))
      }
    }
  })

  it("of an empty list is the known empty root", () => {
    expect(orderedTrieRoot([])).toBe(keccak(Uint8Array.from([0x80])))
    expect(trieRoot([])).toBe(keccak(Uint8Array.from([0x80])))
  })
})

describe("a dataset on disk", () => {
  it("serves the very bytes of the chain in memory, in any order and with a small cache", () => {
    const cacheDir = mkdtempSync(join(tmpdir(), "tidemark-chain-"))
    try {
      const options = { ...small, blocks: 100, forkAt: 50, forkSeed: 5 }
      const memory = createChain(options)
      const disk = openDatasetChain(options, { cacheDir, cacheBytes: 1 })
      for (const height of [100, 0, 31, 32, 33, 64, 99, 1]) {
        for (const form of ["hashes", "full", "receipts"] as const) {
          expect(disk.block(height, form).equals(memory.block(height, form))).toBe(true)
        }
        expect(disk.hashAt(height)).toBe(memory.hashAt(height))
        expect(disk.heightOfHash(memory.hashAt(height), 100)).toBe(height)
        transactions(block(memory, height)).forEach((item, index) => {
          expect(disk.findTransaction(item["hash"]!, 100)).toEqual({ height, index })
        })
      }
      expect(disk.findTransaction(`0x${"12".repeat(32)}`, 100)).toBeUndefined()
      const fork = disk.fork({ at: 70, seed: 11 })
      expect(fork.hashAt(90)).toBe(memory.fork({ at: 70, seed: 11 }).hashAt(90))
      disk.close()
      openDatasetChain(options, { cacheDir }).close()
      expect(readdirSync(cacheDir)).toHaveLength(1)
    } finally {
      rmSync(cacheDir, { recursive: true })
    }
  })
})

// A trie built the other way round from the chain's: by inserting one key after another into nested nodes.
type Node = { path: number[]; value?: Hex; children?: (Node | undefined)[] }

function trieRoot(items: readonly Hex[]): Hex {
  let root: Node | undefined
  items.forEach((value, index) => {
    const key = toRlp(index === 0 ? "0x" : quantity(`0x${index.toString(16)}`))
    root = insert(
      root,
      [...key.slice(2)].map((digit) => Number.parseInt(digit, 16)),
      value,
    )
  })
  return root === undefined ? keccak(Uint8Array.from([0x80])) : keccak(bytes(encodeNode(root)))
}

function insert(node: Node | undefined, path: number[], value: Hex): Node {
  if (node === undefined) return { path, value }
  let shared = 0
  while (shared < node.path.length && node.path[shared] === path[shared]) shared++
  if (node.children !== undefined && shared === node.path.length) {
    const [next, ...rest] = path.slice(shared)
    node.children[next!] = insert(node.children[next!], rest, value)
    return node
  }
  const children: (Node | undefined)[] = new Array(16).fill(undefined)
  children[node.path[shared]!] = { ...node, path: node.path.slice(shared + 1) }
  children[path[shared]!] = { path: path.slice(shared + 1), value }
  return { path: path.slice(0, shared), children }
}

type Rlp = Hex | Rlp[]
function nodeFields(node: Node): Rlp {
  const compact = (leaf: boolean): Hex => {
    const flag = (leaf ? 2 : 0) + (node.path.length % 2)
    const digits = node.path.map((nibble) => nibble.toString(16)).join("")
    return `0x${flag}${node.path.length % 2 ? "" : "0"}${digits}`
  }
  if (node.children === undefined) return [compact(true), node.value!]
  const branch: Rlp = [
    ...node.children.map((child): Rlp => (child === undefined ? "0x" : embed(nodeFields(child)))),
    "0x",
  ]
  return node.path.length === 0 ? branch : [compact(false), embed(branch)]
}

const encodeNode = (node: Node): Hex => toRlp(nodeFields(node) as never)
const embed = (fields: Rlp): Rlp => {
  const encoded = toRlp(fields as never) as Hex
  return encoded.length < 66 ? fields : keccak(bytes(encoded))
}
