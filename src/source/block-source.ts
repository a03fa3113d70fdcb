// The contract every chain source keeps: verified blocks in height order, or an IndexerError that says why not.

import type { BlockRange } from "../domain/block-range.js"
import type { Hex, LinkedBlock } from "../domain/linked-block.js"
import type { CircuitState } from "./circuit-breaker.js"
import type { RpcCounter } from "./rpc-counters.js"

export interface ChainIdentity {
  /** Decimal text: EVM chain ids can pass 2^53. */
  readonly chainId: string
  readonly genesisHash: Hex
}

export interface ChainHead {
  readonly height: number
  readonly hash: Hex
  /** What the chain calls final (height, inclusive), or null when the node has no such notion. */
  readonly finalizedHeight: number | null
}

export interface FetchOptions {
  readonly signal: AbortSignal
  /** For the head: where a node's limits make requests wait, it goes before history. */
  readonly urgent?: boolean | undefined
}

export interface FetchRangeOptions extends FetchOptions {
  /**
   * Asks for the block below the range as well, in the first request. Told its hash before the first block is yielded;
   * undefined when the answer had none, which says nothing of the chain.
   */
  readonly onParent?: ((hash: Hex | undefined) => void) | undefined
  /**
   * Blocks up to this height are final, and are to be had only from a node that says so itself: one that stands still may be on a branch
   * that has lost since, and what is stored up to finality is never taken back.
   */
  readonly finalTo?: number | undefined
}

export interface BlockSource {
  /** Asks the node who it is. The caller pins the answer and compares it ever after. */
  identity(options: FetchOptions): Promise<ChainIdentity>
  head(options: FetchOptions): Promise<ChainHead>
  /**
   * Yields every block of the range once, in height order, in batches of a size the source chooses, each
   * verified on its own and against the one before it. What lies fetched and not yet taken is bounded in bytes,
   * whatever the consumer does. Throws when the range cannot be had; what was yielded before is then void.
   */
  fetchRange(range: BlockRange, options: FetchRangeOptions): AsyncIterable<readonly LinkedBlock[]>
  /** The chain's present hash at a height, null where it has no such block. */
  blockHash(height: number, options: FetchOptions): Promise<Hex | null>
  /**
   * Each provider's own hashes at these heights, in their order, null where it has no such block; those that cannot be
   * asked are left out. For telling a reorganisation from a node that lags or lies.
   */
  hashesByProvider(heights: readonly number[], options: FetchOptions): Promise<readonly ProviderHashes[]>
  /** How each provider is doing. */
  providers(): readonly ProviderHealth[]
  /** What was asked since the last take. */
  takeCounters(): RpcCounter[]
  close(): Promise<void>
}

export interface ProviderHealth {
  /** Host and port; never a path or a key. */
  readonly label: string
  readonly state: CircuitState
  readonly lastError: string | null
  readonly lastErrorAtMs: number | null
  /** The chain id it answered, when that is not the one expected. */
  readonly mismatch: string | null
}

export interface ProviderHashes {
  readonly provider: string
  readonly hashes: readonly (Hex | null)[]
}

/** Announces heads as they appear. Hints only: a lost one costs time, never data. */
export interface HeadWatch {
  start(onHead: (head: ChainHead) => void): void
  stop(): Promise<void>
  /** Heads are being announced; while they are not, ask. */
  readonly live: boolean
}
