// The owners of the collectibles, read from the chain's logs: what is sent next depends on the chain alone, not on
// the memory of this process.

import type { Address, Hex } from "viem"
import { toEventSelector } from "viem"
import type { AnvilRpc } from "./anvil-rpc.js"

interface TransferLog {
  readonly topics: readonly Hex[]
}

const transferTopic = toEventSelector("Transfer(address,address,uint256)")

export class CollectibleOwners {
  readonly #owners = new Map<bigint, Address>()
  #readTo = -1

  /** Reads the logs since the last call, or all of them when the chain has become shorter. */
  async refresh(rpc: AnvilRpc, options: { readonly address: Address; readonly height: number }): Promise<void> {
    if (options.height < this.#readTo) this.#clear()
    if (options.height === this.#readTo) return
    const logs = await rpc.call<TransferLog[]>("eth_getLogs", {
      address: options.address,
      topics: [transferTopic],
      fromBlock: `0x${(this.#readTo + 1).toString(16)}`,
      toBlock: `0x${options.height.toString(16)}`,
    })
    for (const { topics } of logs) this.#apply(topics)
    this.#readTo = options.height
  }

  /** The collectibles of these owners, oldest first. */
  ownedBy(owners: ReadonlySet<Address>): { readonly id: bigint; readonly owner: Address }[] {
    return [...this.#owners].filter(([, owner]) => owners.has(owner)).map(([id, owner]) => ({ id, owner }))
  }

  #apply(topics: readonly Hex[]): void {
    const id = BigInt(topics[3]!)
    const to = `0x${topics[2]!.slice(26)}` as const
    if (BigInt(to) === 0n) this.#owners.delete(id)
    else this.#owners.set(id, to)
  }

  #clear(): void {
    this.#owners.clear()
    this.#readTo = -1
  }
}
