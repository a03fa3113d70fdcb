// A deterministic EVM chain in memory. Blocks are built when first asked for, in order, since each needs its parent.

import { type BlockForm, type BuiltBlock, buildBlock, genesisParentHash } from "./build-block.js"
import { type ChainOptions, type Fork, type ResolvedChainOptions, resolveChainOptions } from "./chain-options.js"
import { Universe } from "./universe.js"

export interface TransactionPlace {
  readonly height: number
  readonly index: number
}

/** What a server needs of a chain, wherever its bytes are. */
export interface Chain {
  readonly options: ResolvedChainOptions
  readonly universe: Universe
  /** Rendered JSON; the height lies in [0, options.blocks]. Not to be written to. */
  block(height: number, form: BlockForm): Buffer
  hashAt(height: number): string
  /** Among the blocks up to a height, inclusive. */
  heightOfHash(hash: string, upTo: number): number | undefined
  findTransaction(hash: string, upTo: number): TransactionPlace | undefined
  /** The same blocks below `fork.at`, others from there on. Shares this chain's bytes. */
  fork(fork: Fork): Chain
  close(): void
}

export class SyntheticChain implements Chain {
  readonly options: ResolvedChainOptions
  readonly universe: Universe
  readonly #base: Chain | undefined
  /** The height of the first block of our own; below it the base answers. */
  readonly #start: number
  readonly #blocks: BuiltBlock[] = []
  readonly #heights = new Map<string, number>()
  readonly #transactions = new Map<string, TransactionPlace>()

  /** Use `createChain`, or `fork` of another chain. */
  constructor(options: ResolvedChainOptions, base?: { readonly chain: Chain; readonly at: number }) {
    this.options = options
    this.universe = base?.chain.universe ?? new Universe(options)
    this.#base = base?.chain
    this.#start = base?.at ?? 0
  }

  block(height: number, form: BlockForm): Buffer {
    if (height < this.#start) return this.#base!.block(height, form)
    return this.#built(height)[form]
  }

  hashAt(height: number): string {
    if (height < this.#start) return this.#base!.hashAt(height)
    return this.#built(height).hash
  }

  heightOfHash(hash: string, upTo: number): number | undefined {
    if (upTo >= this.#start && !this.#heights.has(hash)) this.#built(upTo)
    const height = this.#heights.get(hash)
    if (height !== undefined) return height <= upTo ? height : undefined
    return this.#base?.heightOfHash(hash, Math.min(upTo, this.#start - 1))
  }

  findTransaction(hash: string, upTo: number): TransactionPlace | undefined {
    if (upTo >= this.#start && !this.#transactions.has(hash)) this.#built(upTo)
    const place = this.#transactions.get(hash)
    if (place !== undefined) return place.height <= upTo ? place : undefined
    return this.#base?.findTransaction(hash, Math.min(upTo, this.#start - 1))
  }

  fork(fork: Fork): SyntheticChain {
    return forkOf(this, fork)
  }

  close(): void {
    // Memory goes with the object, and the base belongs to whoever opened it.
  }

  #built(height: number): BuiltBlock {
    if (!Number.isInteger(height) || height < this.#start || height > this.options.blocks) {
      throw new RangeError(`height ${height} is outside this chain, which ends at ${this.options.blocks}`)
    }
    while (this.#start + this.#blocks.length <= height) this.#append()
    return this.#blocks[height - this.#start]!
  }

  #append(): void {
    const height = this.#start + this.#blocks.length
    const parentHash = height === 0 ? genesisParentHash : this.hashAt(height - 1)
    const block = buildBlock(this.universe, this.options, { height, parentHash })
    this.#blocks.push(block)
    this.#heights.set(block.hash, height)
    block.transactionHashes.forEach((hash, index) => {
      this.#transactions.set(hash, { height, index })
    })
  }
}

export function createChain(options: ChainOptions = {}): SyntheticChain {
  return new SyntheticChain(resolveChainOptions(options))
}

export function forkOf(chain: Chain, fork: Fork): SyntheticChain {
  if (fork.at < 1 || fork.at > chain.options.blocks) {
    throw new RangeError(`a fork at ${fork.at} is outside [1, ${chain.options.blocks}]`)
  }
  const options = { ...chain.options, forks: [...chain.options.forks, fork] }
  return new SyntheticChain(options, { chain, at: fork.at })
}
