// What a kind of demo transaction is: a weight, and a function from what is known of the chain to one transaction.

import type { Address, Hex } from "viem"
import type { CollectibleOwners } from "./collectible-owners.js"
import type { ContractBook } from "./contract-book.js"
import type { SeededRandom } from "./seeded-random.js"

export interface DemoTransaction {
  readonly from: Address
  readonly to?: Address | undefined
  readonly data?: Hex | undefined
  readonly value?: bigint | undefined
  /** Always given: the node would run the transaction once more to find it. */
  readonly gas: number
}

export interface DemoContext {
  readonly random: SeededRandom
  readonly book: ContractBook
  readonly deployer: Address
  /** Those who send. */
  readonly senders: readonly Address[]
  /** Those of the senders who hold every token and have let the router take it. */
  readonly traders: readonly Address[]
  readonly recipients: readonly Address[]
  readonly collectibles: CollectibleOwners
  /** The collectibles this block moves already. */
  readonly taken: Set<bigint>
}

export interface TransactionKind {
  readonly name: string
  readonly weight: number
  /** Undefined when the chain has nothing to do it with just now. */
  make(context: DemoContext): DemoTransaction | undefined
}

/** Mostly a few busy accounts, now and then any of hundreds, sometimes another sender. */
export function pickRecipient({ random, recipients, senders }: DemoContext): Address {
  if (random.chance(0.3)) return random.pick(senders)
  return recipients[Math.floor(random.next() ** 2 * recipients.length)]!
}

/** Between a hundredth of a token and `most` tokens, never nothing. */
export function pickAmount(random: SeededRandom, unit: bigint, most: number): bigint {
  const amount = (unit * BigInt(random.integer(1, most * 100))) / 100n
  return amount > 0n ? amount : 1n
}
