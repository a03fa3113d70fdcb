// A chain on disk: any block is one positioned read of the chunk it lies in. Recently used chunks stay in memory, up
// to a bound, so serving 3 GB takes some hundred MB.

import { closeSync, openSync, readFileSync, readSync } from "node:fs"
import { join } from "node:path"
import { type BlockForm, blockForms } from "./build-block.js"
import { type ChainOptions, type Fork, type ResolvedChainOptions, resolveChainOptions } from "./chain-options.js"
import { bytesToHex, hexToBytes } from "./hex.js"
import { type Chain, forkOf, type SyntheticChain, type TransactionPlace } from "./synthetic-chain.js"
import { Universe } from "./universe.js"
import { datasetFiles, type WriteDatasetOptions, writeDataset } from "./write-dataset.js"

export const defaultCacheDir = join(import.meta.dirname, "..", "..", ".cache", "chain")

export interface OpenDatasetOptions extends Partial<WriteDatasetOptions> {
  /** Most bytes of chunks kept in memory. */
  readonly cacheBytes?: number
}

const blocksPerChunk = 32

/** Makes the dataset first when the cache folder does not have it. */
export function openDatasetChain(chain: ChainOptions = {}, options: OpenDatasetOptions = {}): DatasetChain {
  const resolved = resolveChainOptions(chain)
  const folder = writeDataset(resolved, { ...options, cacheDir: options.cacheDir ?? defaultCacheDir })
  return new DatasetChain(resolved, folder, options.cacheBytes ?? 512 * 1024 * 1024)
}

export class DatasetChain implements Chain {
  readonly options: ResolvedChainOptions
  readonly universe: Universe
  readonly #folder: string
  readonly #files: Record<BlockForm, number>
  readonly #offsets: Float64Array
  readonly #blockHashes: Buffer
  readonly #cacheBytes: number
  /** In order of use: the first is the next to go. */
  readonly #chunks = new Map<string, Buffer>()
  #chunkBytes = 0
  #heights: Map<string, number> | undefined
  #transactions: { readonly hashes: Buffer; readonly byPrefix: Map<number, number> } | undefined

  constructor(options: ResolvedChainOptions, folder: string, cacheBytes: number) {
    this.options = options
    this.universe = new Universe(options)
    this.#folder = folder
    this.#cacheBytes = cacheBytes
    const open = (form: BlockForm) => openSync(join(folder, datasetFiles[form]), "r")
    this.#files = { hashes: open("hashes"), full: open("full"), receipts: open("receipts") }
    const offsets = readFileSync(join(folder, datasetFiles.offsets))
    this.#offsets = new Float64Array(offsets.buffer, offsets.byteOffset, offsets.length / 8)
    this.#blockHashes = readFileSync(join(folder, datasetFiles.blockHashes))
  }

  block(height: number, form: BlockForm): Buffer {
    if (!Number.isInteger(height) || height < 0 || height > this.options.blocks) {
      throw new RangeError(`height ${height} is outside this chain, which ends at ${this.options.blocks}`)
    }
    const first = height - (height % blocksPerChunk)
    const base = this.#offset(form, first)
    return this.#chunk(form, first).subarray(this.#offset(form, height) - base, this.#offset(form, height + 1) - base)
  }

  hashAt(height: number): string {
    return bytesToHex(this.#blockHashes.subarray(height * 32, height * 32 + 32))
  }

  heightOfHash(hash: string, upTo: number): number | undefined {
    if (this.#heights === undefined) {
      this.#heights = new Map()
      for (let height = 0; height <= this.options.blocks; height++) this.#heights.set(this.hashAt(height), height)
    }
    const height = this.#heights.get(hash)
    return height !== undefined && height <= upTo ? height : undefined
  }

  findTransaction(hash: string, upTo: number): TransactionPlace | undefined {
    this.#transactions ??= this.#readTransactions()
    const wanted = hexToBytes(hash)
    if (wanted.length !== 32) return undefined
    const ordinal = this.#transactions.byPrefix.get(wanted.readUIntBE(0, 6))
    if (ordinal === undefined) return undefined
    if (!this.#transactions.hashes.subarray(ordinal * 32, ordinal * 32 + 32).equals(wanted)) return undefined
    const height = this.#heightOfTransaction(ordinal)
    return height <= upTo ? { height, index: ordinal - this.#transactionsBefore(height) } : undefined
  }

  fork(fork: Fork): SyntheticChain {
    return forkOf(this, fork)
  }

  close(): void {
    for (const file of Object.values(this.#files)) closeSync(file)
  }

  #offset(form: BlockForm, height: number): number {
    return this.#offsets[blockForms.indexOf(form) * (this.options.blocks + 2) + height]!
  }

  #transactionsBefore(height: number): number {
    return this.#offsets[blockForms.length * (this.options.blocks + 2) + height]!
  }

  #chunk(form: BlockForm, first: number): Buffer {
    const key = `${form}${first}`
    const known = this.#chunks.get(key)
    if (known !== undefined) {
      this.#chunks.delete(key)
      this.#chunks.set(key, known)
      return known
    }
    const start = this.#offset(form, first)
    const end = this.#offset(form, Math.min(first + blocksPerChunk, this.options.blocks + 1))
    // Fresh memory each time: slices of a dropped chunk may still wait in a socket.
    const bytes = Buffer.allocUnsafeSlow(end - start)
    for (let at = 0; at < bytes.length; ) {
      const read = readSync(this.#files[form], bytes, at, bytes.length - at, start + at)
      if (read === 0) throw new Error(`the dataset ${this.#folder} is cut short; remove it and it is made again`)
      at += read
    }
    this.#chunks.set(key, bytes)
    this.#chunkBytes += bytes.length
    for (const [oldest, dropped] of this.#chunks) {
      if (this.#chunkBytes <= this.#cacheBytes || oldest === key) break
      this.#chunks.delete(oldest)
      this.#chunkBytes -= dropped.length
    }
    return bytes
  }

  /** 48 bits of a hash tell a million transactions apart; the few that share them would hide each other. */
  #readTransactions() {
    const hashes = readFileSync(join(this.#folder, datasetFiles.transactionHashes))
    const byPrefix = new Map<number, number>()
    for (let at = 0; at < hashes.length; at += 32) byPrefix.set(hashes.readUIntBE(at, 6), at / 32)
    return { hashes, byPrefix }
  }

  #heightOfTransaction(ordinal: number): number {
    let low = 0
    let high = this.options.blocks
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (this.#transactionsBefore(middle + 1) <= ordinal) low = middle + 1
      else high = middle
    }
    return low
  }
}
