// A kind of demo transaction: a weight, and a function from the state of the chain to one transaction.

import type { Abi, Address, ContractFunctionName, EncodeFunctionDataParameters, Hex } from "viem"
import { encodeFunctionData } from "viem"
import type { CollectibleOwners } from "./collectible-owners.js"
import type { ContractBook } from "./contract-book.js"
import type { SeededRandom } from "./seeded-random.js"

export interface DemoTransaction {
  readonly from: Address
  readonly to?: Address | undefined
  readonly data?: Hex | undefined
  readonly value?: bigint | undefined
  /** Always given: otherwise the node runs the transaction twice. */
  readonly gas: number
}

export interface DemoContext {
  readonly random: SeededRandom
  readonly book: ContractBook
  readonly deployer: Address
  /** The accounts that send. */
  readonly senders: readonly Address[]
  /** The senders that hold every token and have approved the router. */
  readonly traders: readonly Address[]
  readonly recipients: readonly Address[]
  readonly collectibles: CollectibleOwners
  /** The collectibles that this block already moves. */
  readonly taken: Set<bigint>
}

/** Undefined when the chain's state does not allow it now. */
type MakeTransaction = (context: DemoContext) => DemoTransaction | undefined

export interface TransactionKind {
  readonly weight: number
  readonly make: MakeTransaction
}

/** The name is for the reader. */
export const kind = (_name: string, weight: number, make: MakeTransaction): TransactionKind => ({
  weight,
  make,
})

export function call<const abi extends Abi, name extends ContractFunctionName<abi>>(
  transaction: Omit<DemoTransaction, "data">,
  parameters: EncodeFunctionDataParameters<abi, name>,
): DemoTransaction {
  return { ...transaction, data: encodeFunctionData(parameters) }
}

/** Mostly a few busy accounts, sometimes any of hundreds, sometimes another sender. */
export function pickRecipient({ random, recipients, senders }: DemoContext): Address {
  if (random.chance(0.3)) return random.pick(senders)
  return recipients[Math.floor(random.next() ** 2 * recipients.length)]!
}

/** Between a hundredth of a token and `most` tokens, at least one unit. */
export function pickAmount(random: SeededRandom, unit: bigint, most: number): bigint {
  const amount = (unit * BigInt(random.integer(1, most * 100))) / 100n
  return amount > 0n ? amount : 1n
}
