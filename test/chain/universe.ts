// The contracts and holders of a chain: they depend on its seed only, so forks share them. Holders are made when
// first met, because a chain may have many more than a test ever touches.

import { keccak_256 } from "@noble/hashes/sha3"
import { SeededRandom } from "../support/seeded-random.js"
import { type BloomBits, bloomBits } from "./bloom.js"
import { bytesToHex, word } from "./hex.js"

type ContractKind = "erc20" | "erc721" | "pair"

/** An address or a topic together with the bits it sets. */
export interface Filterable {
  readonly hex: string
  readonly bits: BloomBits
}

export interface Contract {
  readonly kind: ContractKind
  readonly address: Filterable
  readonly name: string
  readonly symbol: string
  readonly decimals: number
}

/** The topic's bits are hashed when first needed: most holders only ever send transactions. */
export class Holder {
  readonly address: string
  #topic: Filterable | undefined

  constructor(readonly digits: string) {
    this.address = `0x${digits}`
  }

  get topic(): Filterable {
    this.#topic ??= filterable(`0x${word(this.digits)}`)
    return this.#topic
  }
}

const filterable = (hex: string): Filterable => ({ hex, bits: bloomBits(hex) })
const eventTopic = (signature: string) => filterable(bytesToHex(keccak_256(new TextEncoder().encode(signature))))

export const transferTopic = eventTopic("Transfer(address,address,uint256)")
export const approvalTopic = eventTopic("Approval(address,address,uint256)")
export const swapTopic = eventTopic("Swap(address,uint256,uint256,uint256,uint256,address)")

export class Universe {
  readonly tokens: readonly Contract[]
  readonly collections: readonly Contract[]
  readonly pairs: readonly Contract[]
  readonly rareTokens: readonly Contract[]
  readonly contracts: ReadonlyMap<string, Contract>
  readonly #seed: number
  readonly #holders: (Holder | undefined)[]
  readonly #tokenIds: (Filterable | undefined)[] = []

  constructor(options: { readonly seed: number; readonly holders: number }) {
    this.#seed = options.seed
    this.#holders = new Array(options.holders)
    const random = new SeededRandom(options.seed, 0x9e3779b9, 0x243f6a88, 0xb7e15162)
    const make = (count: number, kind: ContractKind, name: string, symbol: string): Contract[] =>
      Array.from({ length: count }, (_, index) => ({
        kind,
        address: filterable(`0x${random.hex(5)}`),
        name: `${name} ${index}`,
        symbol: `${symbol}${index}`,
        decimals: kind === "erc721" ? 0 : 18,
      }))
    this.tokens = make(20, "erc20", "Token", "TK")
    this.collections = make(5, "erc721", "Collection", "NF")
    this.pairs = make(10, "pair", "Pair", "LP")
    this.rareTokens = make(30, "erc20", "Rare token", "RT")
    const all = [...this.tokens, ...this.collections, ...this.pairs, ...this.rareTokens]
    this.contracts = new Map(all.map((contract) => [contract.address.hex, contract]))
  }

  get holderCount(): number {
    return this.#holders.length
  }

  holder(index: number): Holder {
    const known = this.#holders[index]
    if (known !== undefined) return known
    const holder = new Holder(new SeededRandom(this.#seed, index, 0x1f83d9ab, 0x5be0cd19).hex(5))
    this.#holders[index] = holder
    return holder
  }

  /** The topic of an ERC-721 token id below 65,536. */
  tokenId(id: number): Filterable {
    const known = this.#tokenIds[id]
    if (known !== undefined) return known
    const topic = filterable(`0x${word(id.toString(16))}`)
    this.#tokenIds[id] = topic
    return topic
  }
}
