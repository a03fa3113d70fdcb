// The contract of a chain source: verified blocks in height order, or an IndexerError that says why not.

import type { BlockRange } from "../domain/block-range.js"
import type { Hex, LinkedBlock } from "../domain/linked-block.js"
import type { RpcCounts } from "../platform/metrics.js"
import type { CircuitState } from "./circuit-breaker.js"

export interface ChainIdentity {
  /** Decimal text: EVM chain ids can pass 2^53. */
  readonly chainId: string
  readonly genesisHash: Hex
}

export interface ChainHead {
  readonly height: number
  readonly hash: Hex
  /** What the chain calls final (height, inclusive), or null when the node does not report it. */
  readonly finalizedHeight: number | null
}

export interface FetchOptions {
  readonly signal: AbortSignal
  /** For the head: it goes before history where requests wait for a node's limits. */
  readonly urgent?: boolean | undefined
}

export interface FetchRangeOptions extends FetchOptions {
  /**
   * Requests the block below the range as well, in the first request, and is called with its hash before the first
   * block is yielded. Undefined when the answer has none, which says nothing about the chain.
   */
  readonly onParent?: ((hash: Hex | undefined) => void) | undefined
  /**
   * Blocks up to this height are final and are accepted only from a node that reports them as final. A node that has
   * stopped may be on an abandoned branch, and blocks stored up to finality are never rolled back.
   */
  readonly finalTo?: number | undefined
}

export interface BlockSource<Block extends LinkedBlock = LinkedBlock> {
  /** Asks the node for its chain. The caller pins the answer and compares every later one with it. */
  identity(options: FetchOptions): Promise<ChainIdentity>
  head(options: FetchOptions): Promise<ChainHead>
  /**
   * Yields every block of the range once, in height order, in batches of a size that the source chooses. Each block is
   * verified on its own and against the block before it. The bytes fetched ahead of the consumer are bounded. Throws
   * when the range cannot be fetched; the blocks yielded before are then void.
   */
  fetchRange(range: BlockRange, options: FetchRangeOptions): AsyncIterable<readonly Block[]>
  /** The chain's current hash at a height, null when it has no such block. */
  blockHash(height: number, options: FetchOptions): Promise<Hex | null>
  /**
   * Each provider's own hashes at these heights, in their order, null where it has no such block. Providers that
   * cannot be asked are left out. Distinguishes a reorganisation from a node that lags or is wrong.
   */
  hashesByProvider(heights: readonly number[], options: FetchOptions): Promise<readonly ProviderHashes[]>
  providers(): readonly ProviderHealth[]
  /** What was counted since the last call. */
  takeCounters(): RpcCounts[]
  close(): Promise<void>
}

export interface ProviderHealth {
  /** Host and port; never a path or a key. */
  readonly label: string
  readonly state: CircuitState
  readonly lastError: string | null
  readonly lastErrorAtMs: number | null
  /** The chain id that it answered, when another one is expected. */
  readonly mismatch: string | null
  /** Known to the process that follows the head; absent elsewhere. */
  readonly head?: ProviderHead | null
}

export interface ProviderHead {
  readonly height: number
  /** Of the block, by its own time. */
  readonly ageMs: number | null
  /** For how long the provider has been at this height, as far as observed. */
  readonly stillMs: number
  /**
   * frozen: it does not move while the chain does, or its block is far older than the chain's pace allows. behind: it
   * moves, far below the others. ahead: it alone claims blocks far above the others. fork: the others are on another
   * chain.
   */
  readonly fault: "frozen" | "behind" | "ahead" | "fork" | null
  /** Another provider is followed instead. */
  readonly left: boolean
}

export interface ProviderHashes {
  readonly provider: string
  readonly hashes: readonly (Hex | null)[]
}

/** Announces new heads. These are hints: a lost one costs time, never data. */
export interface HeadWatch {
  start(onHead: (head: ChainHead) => void): void
  stop(): Promise<void>
  /** Heads are being announced. While false, poll. */
  readonly live: boolean
}
