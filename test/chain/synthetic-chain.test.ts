// The synthetic chain, checked by the product's own encoding, tries and blooms, which it shares no code with.

import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { BloomReader } from "../../src/families/evm/source/bloom.js"
import { encodeHeader } from "../../src/families/evm/source/encode-header.js"
import { keccakText } from "../../src/families/evm/source/keccak.js"
import { orderedTrieRoot as productTrieRoot } from "../../src/families/evm/source/trie-root.js"
import { verifyRoots } from "../../src/families/evm/source/verify-roots.js"
import { openDatasetChain } from "./dataset-chain.js"
import { type Chain, createChain } from "./synthetic-chain.js"
import { orderedTrieRoot } from "./trie-root.js"

/** Any JSON value. */
type Json = ReturnType<typeof JSON.parse>

const small = { blocks: 40, transactionsPerBlock: 5, logsPerBlock: 12, holders: 200 }
const blooms = new BloomReader()

const block = (chain: Chain, height: number): Json => JSON.parse(chain.block(height, "full").toString())
const receipts = (chain: Chain, height: number): Json[] => JSON.parse(chain.block(height, "receipts").toString())

function expectConsistent(chain: Chain): void {
  let parentHash = `0x${"00".repeat(32)}`
  for (let height = 0; height <= chain.options.blocks; height++) {
    const full = block(chain, height)
    const hashes = JSON.parse(chain.block(height, "hashes").toString())
    const its = receipts(chain, height)
    const logs: Json[] = its.flatMap((receipt) => receipt.logs)
    const { hash, logsBloom } = full
    expect([keccakText(encodeHeader(full)), chain.hashAt(height)]).toEqual([hash, hash])
    expect([full.parentHash, Number(full.number), logsBloom]).toEqual([parentHash, height, blooms.textOf(logs)])
    expect({ ...full, transactions: full.transactions.map((item: Json) => item.hash) }).toEqual(hashes)
    expect(its.map((receipt) => receipt.transactionHash)).toEqual(hashes.transactions)
    expect(logs.map((log) => Number(log.logIndex))).toEqual(logs.map((_, index) => index))
    let gas = 0
    for (const receipt of its) {
      gas += Number(receipt.gasUsed)
      expect(receipt.logsBloom).toBe(blooms.textOf(receipt.logs))
      expect(Number(receipt.cumulativeGasUsed)).toBe(gas)
      for (const { transactionHash, blockHash } of [receipt, ...receipt.logs])
        expect([transactionHash, blockHash]).toEqual([receipt.transactionHash, hash])
    }
    expect(Number(full.gasUsed)).toBe(gas)
    parentHash = hash
  }
}

describe("a synthetic chain", () => {
  it("has header hashes, parents, blooms, gas and indexes that fit together", () => {
    expectConsistent(createChain(small))
  })

  it("is the same for the same options and another for another seed", () => {
    const last = (seed: number) => receipts(createChain({ ...small, seed }), small.blocks)
    expect(last(7)).toEqual(last(7))
    expect(last(7)).not.toEqual(last(8))
  })

  it("has every kind of log", () => {
    const chain = createChain(small)
    const logs = Array.from({ length: small.blocks }, (_, at) => receipts(chain, at + 1))
      .flat(1)
      .flatMap((receipt) => receipt.logs)
    const kinds = new Set(logs.map(({ topics }) => `${topics[0]} ${topics.length}`))
    const topic = (event: string) => keccakText(Buffer.from(event))
    const transfer = topic("Transfer(address,address,uint256)")
    const approval = topic("Approval(address,address,uint256)")
    const swap = topic("Swap(address,uint256,uint256,uint256,uint256,address)")
    expect(kinds).toEqual(new Set([`${transfer} 3`, `${transfer} 4`, `${approval} 3`, `${swap} 3`]))
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
    for (const fork of [main.fork({ at: 20, seed: 99 }), createChain({ ...small, forkAt: 20, forkSeed: 99 })]) {
      for (let height = 0; height <= small.blocks; height++) {
        expect(fork.hashAt(height) === main.hashAt(height)).toBe(height < 20)
      }
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
      const { hash } = block(fork, height).transactions[2]
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
      const served = { block: block(chain, height), receipts: receipts(chain, height) }
      expect(verifyRoots(served as Json)).toBeUndefined()
    }
  })

  it("hold for items of any size, where small nodes stand inside their parents", () => {
    for (const count of [0, 1, 2, 16, 17, 127, 128, 129, 300]) {
      for (const size of [1, 5, 27, 28, 29, 30, 31, 40]) {
        const items = Array.from({ length: count }, (_, at) => Buffer.alloc(size, 1 + (at % 100)))
        expect(orderedTrieRoot(items)).toBe(productTrieRoot(items))
      }
    }
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
        for (const [index, { hash }] of block(memory, height).transactions.entries())
          expect(disk.findTransaction(hash, 100)).toEqual({ height, index })
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
