// Writes a chain to disk once. The folder appears complete or not at all: it is made under another name and renamed.

import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { type BlockForm, blockForms, buildBlock, genesisParentHash } from "./build-block.js"
import type { ResolvedChainOptions } from "./chain-options.js"
import { hexToBytes } from "./hex.js"
import { Universe } from "./universe.js"

/** Raised whenever the bytes of a block or of these files change. */
const datasetVersion = 1

export const datasetFiles = {
  hashes: "blocks-with-hashes.bin",
  full: "blocks-full.bin",
  receipts: "receipts.bin",
  /** 32 bytes a block, and 32 a transaction, in chain order. */
  blockHashes: "block-hashes.bin",
  transactionHashes: "transaction-hashes.bin",
  /** Float64 offsets: for each form blocks + 2 of them, then as many counts of earlier transactions. */
  offsets: "offsets.bin",
} as const

function datasetName(options: ResolvedChainOptions): string {
  const parts = [
    `v${datasetVersion}`,
    `seed${options.seed}`,
    `blocks${options.blocks}`,
    `txs${options.transactionsPerBlock}`,
    `logs${options.logsPerBlock}`,
    `holders${options.holders}`,
    `chain${options.chainId}`,
  ]
  if (options.tokenIds !== 65_536) parts.push(`ids${options.tokenIds}`)
  if (options.realRoots) parts.push("roots")
  if (options.hugeBlockAt !== undefined) parts.push(`huge${options.hugeBlockAt}x${options.hugeBlockLogs}`)
  for (const fork of options.forks) parts.push(`fork${fork.at}s${fork.seed}`)
  return parts.join("-")
}

export interface WriteDatasetOptions {
  readonly cacheDir: string
  readonly onProgress?: (done: { readonly blocks: number; readonly bytes: number }) => void
}

/** Answers the dataset's folder, which exists afterwards. */
export function writeDataset(chain: ResolvedChainOptions, options: WriteDatasetOptions): string {
  const folder = join(options.cacheDir, datasetName(chain))
  if (existsSync(folder)) return folder
  const unfinished = `${folder}.unfinished-${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  try {
    writeBlocks(chain, unfinished, options)
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    // Another process may have finished the same dataset meanwhile; its bytes are ours.
    if (!existsSync(folder)) throw error
  }
  return folder
}

function writeBlocks(chain: ResolvedChainOptions, folder: string, options: WriteDatasetOptions): void {
  const universe = new Universe(chain)
  const writers = Object.fromEntries(
    blockForms.map((form) => [form, new BufferedFile(join(folder, datasetFiles[form]))]),
  ) as Record<BlockForm, BufferedFile>
  const blockHashes = new BufferedFile(join(folder, datasetFiles.blockHashes))
  const transactionHashes = new BufferedFile(join(folder, datasetFiles.transactionHashes))
  const rows = chain.blocks + 2
  const offsets = new Float64Array(rows * (blockForms.length + 1))
  let parentHash = genesisParentHash
  let transactions = 0
  for (let height = 0; height <= chain.blocks; height++) {
    const block = buildBlock(universe, chain, { height, parentHash })
    blockForms.forEach((form, at) => {
      writers[form].append(block[form])
      offsets[at * rows + height + 1] = writers[form].size
    })
    blockHashes.append(hexToBytes(block.hash))
    for (const hash of block.transactionHashes) transactionHashes.append(hexToBytes(hash))
    transactions += block.transactionHashes.length
    offsets[blockForms.length * rows + height + 1] = transactions
    parentHash = block.hash
    if (height % 1_000 === 0) {
      options.onProgress?.({
        blocks: height,
        bytes: writers.full.size + writers.hashes.size + writers.receipts.size,
      })
    }
  }
  for (const file of [...Object.values(writers), blockHashes, transactionHashes]) file.close()
  writeFileSync(join(folder, datasetFiles.offsets), Buffer.from(offsets.buffer))
}

/** Gathers small pieces into writes of 4 MiB and more. */
class BufferedFile {
  size = 0
  readonly #descriptor: number
  #pieces: Buffer[] = []
  #waiting = 0

  constructor(path: string) {
    this.#descriptor = openSync(path, "w")
  }

  append(piece: Buffer): void {
    this.#pieces.push(piece)
    this.#waiting += piece.length
    this.size += piece.length
    if (this.#waiting >= 4 * 1024 * 1024) this.#flush()
  }

  close(): void {
    this.#flush()
    closeSync(this.#descriptor)
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#pieces, this.#waiting)
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at)
    this.#pieces = []
    this.#waiting = 0
  }
}
