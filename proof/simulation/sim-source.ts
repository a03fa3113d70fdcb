// The node: each request goes to a random provider, which may be stuck on a branch, lag or be unavailable. Blocks of a
// range are linked, as the product's sources promise. Everything else may be out of date.

import type { BlockRange } from "../../src/domain/block-range.js"
import { IndexerError } from "../../src/platform/errors.js"
import type { RpcCounts } from "../../src/platform/metrics.js"
import type {
  BlockSource,
  ChainHead,
  ChainIdentity,
  FetchRangeOptions,
  ProviderHashes,
  ProviderHealth,
} from "../../src/source/block-source.js"
import { RpcCounters } from "../../src/source/rpc-counters.js"
import type { SimBlock, SimChain } from "./sim-chain.js"
import type { SimHost } from "./sim-host.js"

/** The chain as a provider sees it now. */
export class SimProvider {
  isDown = false
  lagBlocks = 0
  private stuckAt: { readonly blocks: readonly SimBlock[]; readonly finalizedHeight: number } | undefined
  private readonly chain: Pick<SimChain, "blocks" | "finalizedHeight">

  constructor(chain: Pick<SimChain, "blocks" | "finalizedHeight">) {
    this.chain = chain
  }

  get height(): number {
    return Math.max(0, this.blocks().length - 1 - this.lagBlocks)
  }

  stick(): void {
    const { blocks, finalizedHeight } = this.chain
    this.stuckAt = { blocks, finalizedHeight }
  }

  heal(): void {
    this.isDown = false
    this.lagBlocks = 0
    this.stuckAt = undefined
  }

  get head(): SimBlock {
    return this.blocks()[this.height]!
  }

  block(height: number): SimBlock | undefined {
    return height > this.height ? undefined : this.blocks()[height]
  }

  finalizedHeight(): number {
    return Math.min((this.stuckAt ?? this.chain).finalizedHeight, this.height)
  }

  private blocks(): readonly SimBlock[] {
    return (this.stuckAt ?? this.chain).blocks
  }
}

const blocksPerRequest = 20

export class SimSource implements BlockSource<SimBlock> {
  private readonly host: Pick<SimHost, "request" | "random">
  private readonly nodes: readonly SimProvider[]
  private readonly errorPart: () => number
  private readonly counters = new RpcCounters()

  constructor(options: {
    host: Pick<SimHost, "request" | "random">
    providers: readonly SimProvider[]
    errorPart: () => number
  }) {
    this.host = options.host
    this.nodes = options.providers
    this.errorPart = options.errorPart
  }

  identity(): Promise<ChainIdentity> {
    return this.ask((provider) => ({ chainId: "1", genesisHash: provider.block(0)!.hash }))
  }

  head(): Promise<ChainHead> {
    return this.ask((provider) => {
      const { height, hash } = provider.head
      return { height, hash, finalizedHeight: provider.finalizedHeight() }
    })
  }

  async *fetchRange(
    { from, to }: BlockRange,
    { signal, onParent, finalTo = -1 }: FetchRangeOptions,
  ): AsyncGenerator<readonly SimBlock[]> {
    let last: SimBlock | undefined
    for (let at = from; at < to; at += blocksPerRequest) {
      signal.throwIfAborted()
      const batch = await this.ask((provider) => {
        const count = Math.min(blocksPerRequest, to - at)
        const lastFinal = Math.min(finalTo, at + count - 1)
        if (lastFinal >= at && provider.finalizedHeight() < lastFinal)
          throw new IndexerError("RPC_BLOCK_MISSING", `the node does not call block ${lastFinal} final`)
        if (at === from) onParent?.(provider.block(from - 1)?.hash)
        return Array.from({ length: count }, (_, i) => {
          const block = provider.block(at + i)
          if (!block) throw new IndexerError("RPC_BLOCK_MISSING", `the node has no block ${at + i}`)
          return block
        })
      })
      signal.throwIfAborted()
      for (const block of batch) {
        const { height, parentHash } = block
        if (last && parentHash !== last.hash)
          throw new IndexerError("PARENT_MISMATCH", `block ${height} does not follow the one before it`, { height })
        last = block
      }
      yield batch
    }
  }

  blockHash(height: number): Promise<string | null> {
    return this.ask((provider) => provider.block(height)?.hash ?? null)
  }

  hashesByProvider(heights: readonly number[]): Promise<readonly ProviderHashes[]> {
    const hashesOf = (one: SimProvider) => heights.map((height) => one.block(height)?.hash ?? null)
    return this.host.request((settle) => {
      const all = this.nodes.map((one, at) => ({ one, provider: String(at) })).filter(({ one }) => !one.isDown)
      settle(
        null,
        all.map(({ one, provider }) => ({ provider, hashes: hashesOf(one) })),
      )
    })
  }

  providers(): readonly ProviderHealth[] {
    return this.nodes.map(({ isDown }, at) => ({
      label: String(at),
      state: isDown ? "open" : "closed",
      lastError: isDown ? "the node does not answer" : null,
      ...{ lastErrorAtMs: null, mismatch: null },
    }))
  }

  takeCounters(): RpcCounts[] {
    return this.counters.take()
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  private ask<T>(question: (provider: SimProvider) => T): Promise<T> {
    return this.host.request((settle) => {
      const { random } = this.host
      const reachable = this.nodes.filter(({ isDown }) => !isDown)
      if (reachable.length === 0 || random.chance(this.errorPart()))
        return settle(new IndexerError("RPC_UNREACHABLE", "the node does not answer"))
      try {
        const chosen = random.pick(reachable)
        const provider = String(this.nodes.indexOf(chosen))
        this.counters.add({ provider, method: "ask", code: "ok", calls: 1, bytes: 0, ms: 0 })
        settle(null, question(chosen))
      } catch (error) {
        settle(error)
      }
    })
  }
}
