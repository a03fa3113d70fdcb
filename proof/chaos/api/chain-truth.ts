// What the node has said so far: all branches it has shown, and what is at each height of them. An answer is true if all of
// it is true of one of them.

import type { Chain } from "../../../test/chain/synthetic-chain.js"

export type ListKind = "blocks" | "transactions"

/** Half-open. */
export interface Heights {
  readonly from: number
  readonly to: number
}

/** Of a row in a list: its height, and its place among those of that height. */
export interface Place {
  readonly height: number
  readonly index: number
}

export interface ListPart {
  readonly kind: ListKind
  readonly order: "asc" | "desc"
  readonly coverage: readonly Heights[]
  /** Excluded; undefined: from the beginning. */
  readonly after: Place | undefined
  /** Included; undefined: to the end. */
  readonly last: Place | undefined
}

interface BlockTruth {
  readonly hash: string
  readonly transactions: readonly string[]
}

interface Transfer {
  readonly token: string
  readonly from: string
  readonly to: string
  readonly amount: bigint
}

const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

const nobody = `0x${"00".repeat(20)}`

function sums() {
  const balances = new Map<string, bigint>()
  const add = (name: string, amount: bigint) => balances.set(name, (balances.get(name) ?? 0n) + amount)
  return { balances, add }
}

export class ChainTruth {
  readonly #branches: Chain[] = []
  readonly #blocks = new Map<string, BlockTruth>()
  readonly #transfers = new Map<string, readonly Transfer[]>()

  shows(chain: Chain): void {
    if (this.#branches[0] !== chain) this.#branches.unshift(chain)
  }

  /** The newest first. */
  get branches(): readonly Chain[] {
    return this.#branches
  }

  /** What the part of a list has on a branch: hashes, in its order. */
  rows(branch: Chain, { kind, order, coverage, after, last }: ListPart): string[] {
    const sign = order === "asc" ? 1 : -1
    const isBeyond = (place: Place, other: Place): boolean =>
      sign * (place.height - other.height || place.index - other.index) > 0
    const ordered = order === "asc" ? coverage : [...coverage].reverse()
    const found: string[] = []
    for (const { from, to } of ordered) {
      let [low, high] = [from, to - 1]
      if (after)
        [low, high] = order === "asc" ? [Math.max(low, after.height), high] : [low, Math.min(high, after.height)]
      if (last) [low, high] = order === "asc" ? [low, Math.min(high, last.height)] : [Math.max(low, last.height), high]
      for (let at = 0; at <= high - low; at++) {
        const height = order === "asc" ? low + at : high - at
        const ids = this.#ids(branch, kind, height).map((id, index) => ({ id, index }))
        for (const { id, index } of order === "asc" ? ids : ids.reverse()) {
          const place = { height, index }
          if (after && !isBeyond(place, after)) continue
          if (last && isBeyond(place, last)) continue
          found.push(id)
        }
      }
    }
    return found
  }

  /** Of one account at the end of a height, by token; tokens it never touched are left out. */
  holdings(branch: Chain, { account, height }: { account: string; height: number }): Map<string, bigint> {
    const { balances, add } = sums()
    for (const { token, from, to, amount } of this.transfers(branch, { account, from: 0, to: height + 1 })) {
      if (from === account) add(token, -amount)
      if (to === account) add(token, amount)
    }
    return balances
  }

  /** Of one token at the end of a height, by account; the zero address holds nothing. */
  holders(branch: Chain, { token, height }: { token: string; height: number }): Map<string, bigint> {
    const { balances, add } = sums()
    for (let at = 0; at <= height; at++) {
      for (const one of this.#transfersAt(branch, at)) {
        if (one.token !== token) continue
        add(one.from, -one.amount)
        add(one.to, one.amount)
      }
    }
    balances.delete(nobody)
    return balances
  }

  /** Of one account in [from, to), in the order of the chain. */
  transfers(branch: Chain, { account, from, to }: { account: string } & Heights): (Transfer & { height: number })[] {
    const found: (Transfer & { height: number })[] = []
    for (let height = from; height < to; height++) {
      for (const one of this.#transfersAt(branch, height))
        if (one.from === account || one.to === account) found.push({ ...one, height })
    }
    return found
  }

  #ids(branch: Chain, kind: ListKind, height: number): readonly string[] {
    const { hash, transactions } = this.#block(branch, height)
    return kind === "blocks" ? [hash] : transactions
  }

  #block(branch: Chain, height: number): BlockTruth {
    const hash = branch.hashAt(height)
    const known = this.#blocks.get(hash)
    if (known) return known
    const block = JSON.parse(branch.block(height, "hashes").toString()) as BlockTruth
    this.#blocks.set(hash, block)
    return block
  }

  #transfersAt(branch: Chain, height: number): readonly Transfer[] {
    const hash = branch.hashAt(height)
    const known = this.#transfers.get(hash)
    if (known) return known
    const receipts = JSON.parse(branch.block(height, "receipts").toString()) as {
      readonly logs: readonly { readonly address: string; readonly topics: readonly string[]; readonly data: string }[]
    }[]
    const transfers = receipts.flatMap(({ logs }) =>
      logs
        .filter(({ topics }) => topics.length === 3 && topics[0] === transferTopic)
        .map(({ address, topics, data }) => ({
          token: address,
          from: `0x${topics[1]!.slice(26)}`,
          to: `0x${topics[2]!.slice(26)}`,
          amount: BigInt(data),
        })),
    )
    this.#transfers.set(hash, transfers)
    return transfers
  }
}
