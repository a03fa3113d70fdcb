// The node, as one process asks it: providers that are stuck on a branch, lag or are away, and a different one for each question. What it
// yields is linked, as the product's sources promise; everything else may be out of date.

import type { BlockRange } from "../../src/domain/block-range.js"
import { IndexerError } from "../../src/platform/errors.js"
import type {
  BlockSource,
  ChainHead,
  ChainIdentity,
  FetchRangeOptions,
  ProviderHashes,
  ProviderHealth,
} from "../../src/source/block-source.js"
import type { RpcCounter } from "../../src/source/rpc-counters.js"
import type { SimBlock, SimChain } from "./sim-chain.js"
import type { SimHost } from "./sim-host.js"

/** How a provider sees the chain at this moment. */
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

export class SimSource implements BlockSource {
  private readonly host: Pick<SimHost, "request" | "random">
  private readonly nodes: readonly SimProvider[]
  private readonly errorPart: () => number

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
        if (last && block.parentHash !== last.hash) {
          throw new IndexerError("PARENT_MISMATCH", `block ${block.height} does not follow the one before it`, {
            height: block.height,
          })
        }
        last = block
      }
      yield batch
    }
  }

  blockHash(height: number): Promise<string | null> {
    return this.ask((provider) => provider.block(height)?.hash ?? null)
  }

  hashesByProvider(heights: readonly number[]): Promise<readonly ProviderHashes[]> {
    return this.host.request((settle) =>
      settle(
        null,
        this.nodes.flatMap((provider, at) =>
          provider.isDown
            ? []
            : [
                {
                  provider: String(at),
                  hashes: heights.map((height) => provider.block(height)?.hash ?? null),
                },
              ],
        ),
      ),
    )
  }

  providers(): readonly ProviderHealth[] {
    return []
  }

  takeCounters(): RpcCounter[] {
    return []
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  private ask<T>(question: (provider: SimProvider) => T): Promise<T> {
    return this.host.request((settle) => {
      const { random } = this.host
      const there = this.nodes.filter(({ isDown }) => !isDown)
      if (there.length === 0 || random.chance(this.errorPart()))
        return settle(new IndexerError("RPC_UNREACHABLE", "the node does not answer"))
      try {
        settle(null, question(random.pick(there)))
      } catch (error) {
        settle(error)
      }
    })
  }
}
