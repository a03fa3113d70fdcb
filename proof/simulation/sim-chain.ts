// A chain that grows and forks. A block never changes; which one is canonical at a height does.

import type { LinkedBlock } from "../../src/domain/linked-block.js"
import type { SimRandom } from "./sim-random.js"

interface SimTransfer {
  readonly sender: string
  readonly receiver: string
  readonly amount: number
}

export interface SimBlock extends LinkedBlock {
  readonly hashBytes: Buffer
  readonly parentBytes: Buffer
  readonly transfers: readonly SimTransfer[]
  readonly events: readonly never[]
  /** A worker that fails on this block, always. */
  readonly poison: string | undefined
  /** The first worker gets it wrong until it is mended. */
  isMisread: boolean
}

export const zeroAccount = "zero"
const accounts = ["a", "b", "c", "d", "e"]

const none: readonly never[] = []

export class SimChain {
  /** The canonical blocks. Replaced, never changed: a stuck provider keeps its own. */
  blocks: readonly SimBlock[] = []
  finalizedHeight = 0
  private readonly random: SimRandom
  private readonly finalityGap: number
  private made = 0

  constructor({ random, finalityGap, length }: { random: SimRandom; finalityGap: number; length: number }) {
    this.random = random
    this.finalityGap = finalityGap
    this.extend(length)
  }

  get head(): SimBlock {
    return this.blocks.at(-1)!
  }

  /** `poison` is for the last one. */
  extend(count: number, poison?: string): void {
    const blocks = this.blocks.slice()
    for (let i = 0; i < count; i++) blocks.push(this.make(blocks.at(-1), i === count - 1 ? poison : undefined))
    this.blocks = blocks
    this.finalizedHeight = Math.max(this.finalizedHeight, blocks.length - 1 - this.finalityGap)
  }

  /** Replaces the last `depth` blocks, never final ones, by others, which may be fewer. Returns how many. */
  reorganize(depth: number, length: number): number {
    const fork = Math.max(this.blocks.length - depth, this.finalizedHeight + 1)
    const replaced = this.blocks.length - fork
    if (replaced <= 0) return 0
    this.blocks = this.blocks.slice(0, fork)
    this.extend(Math.max(1, length))
    return replaced
  }

  private make(parent: SimBlock | undefined, poison: string | undefined): SimBlock {
    const height = parent ? parent.height + 1 : 0
    const hashBytes = Buffer.allocUnsafe(8)
    hashBytes.writeUInt32BE(height, 0)
    hashBytes.writeUInt32BE(++this.made, 4)
    const transfers: SimTransfer[] = []
    for (let i = this.random.between(1, 2); i > 0; i--) {
      const kind = this.random.next()
      transfers.push({
        sender: kind < 0.3 ? zeroAccount : this.random.pick(accounts),
        receiver: kind > 0.85 ? zeroAccount : this.random.pick(accounts),
        amount: this.random.between(1, 100),
      })
    }
    // No spread: it is slower, and a seed has hundreds of blocks.
    return {
      height,
      hash: `0x${hashBytes.toString("hex")}`,
      parentHash: parent?.hash ?? "0x0000000000000000",
      hashBytes,
      parentBytes: parent?.hashBytes ?? Buffer.alloc(8),
      transfers,
      poison,
      isMisread: false,
      timestampUs: 0n,
      transactionCount: 0,
      eventCount: 0,
      events: none,
      sourceBytes: 100,
    }
  }
}
