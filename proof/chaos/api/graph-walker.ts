// Asks GraphQL for ever for rows of raw and app together with `_meta`, over restarts of the server: all of an answer has to be
// true of one branch, the block that `_meta` names too, and complete where it says that it is.

import type { Chain } from "../../../test/chain/synthetic-chain.js"
import { pause } from "../../../test/support/wait-until.js"
import type { ChainTruth, Heights, ListKind } from "./chain-truth.js"

export interface GraphWalkerOptions {
  /** Of the chain: `http://…/graphql/{chain}`. */
  readonly url: string
  readonly everyMs: number
  readonly truth: ChainTruth
  /** Where the walk begins: below it little happens. */
  readonly from: () => number
  readonly signal: AbortSignal
}

interface GraphAnswer {
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[]
  readonly data?: {
    readonly _meta: {
      readonly block: { readonly number: string; readonly hash: string } | null
      readonly coverage: readonly { readonly from: string; readonly to: string }[]
    }
    readonly blocks: { readonly nodes: readonly { readonly height: string; readonly hash: string }[] }
    readonly evm_transactions: {
      readonly nodes: readonly { readonly block_height: string; readonly transaction_id: string }[]
    }
  }
}

const blocks = 30
const query = `query ($from: BigInt!, $to: BigInt!) {
  _meta { block { number hash } coverage { from to } }
  blocks(first: ${blocks}, orderDirection: asc, where: { height_gte: $from, height_lt: $to }) { nodes { height hash } }
  evm_transactions(first: 200, orderDirection: asc, where: { block_height_gte: $from, block_height_lt: $to }) {
    nodes { block_height transaction_id } } }`

/** While a server starts, or raw and app do not agree, or a table is not there yet. */
const passing = [
  "NOT_FOUND",
  "ROLLBACK_IN_PROGRESS",
  "DATABASE_UNREACHABLE",
  "GRAPHQL_VALIDATION_FAILED",
  "OVERLOADED",
]

export class GraphWalker {
  answers = 0
  readonly violations: string[] = []
  /** Rejects never: what goes wrong is a violation. */
  readonly done: Promise<void>

  constructor(private readonly options: GraphWalkerOptions) {
    this.done = this.#walk()
  }

  async #walk(): Promise<void> {
    const { everyMs, signal } = this.options
    while (!signal.aborted && this.violations.length < 5) {
      const from = Math.max(0, this.options.from() - blocks / 2)
      const answer = await this.#ask(from)
      if (answer) this.#check(answer, { from, to: from + blocks })
      await pause(everyMs)
    }
  }

  async #ask(from: number): Promise<GraphAnswer | undefined> {
    const { url, signal } = this.options
    let text: string
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query, variables: { from: String(from), to: String(from + blocks) } }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]),
      })
      text = await response.text()
    } catch {
      // Killed, or not there yet.
      return undefined
    }
    const answer = JSON.parse(text) as GraphAnswer
    const [error] = answer.errors ?? []
    if (error && !passing.includes(error.extensions.code))
      this.violations.push(`GraphQL answered ${text.slice(0, 300)}`)
    return error ? undefined : answer
  }

  #check({ data }: GraphAnswer, asked: Heights): void {
    const { _meta: meta, blocks: stored, evm_transactions: derived } = data!
    const coverage = meta.coverage
      .map(({ from, to }) => ({ from: Math.max(asked.from, Number(from)), to: Math.min(asked.to, Number(to)) }))
      .filter(({ from, to }) => from < to)
    const isTrueOn = (branch: Chain): boolean => {
      const { truth } = this.options
      const rows = (kind: ListKind) =>
        truth.rows(branch, { ...{ kind, order: "asc", coverage }, after: undefined, last: undefined })
      return (
        (meta.block === null || branch.hashAt(Number(meta.block.number)) === meta.block.hash) &&
        same(
          rows("blocks"),
          stored.nodes.map(({ hash }) => hash),
        ) &&
        same(
          rows("transactions").slice(0, 200),
          derived.nodes.map((row) => row.transaction_id),
        )
      )
    }
    this.answers++
    if (this.options.truth.branches.some(isTrueOn)) return
    const shown = `${stored.nodes.length} blocks and ${derived.nodes.length} transactions`
    this.violations.push(`GraphQL is true of no branch: ${shown} of ${JSON.stringify({ ...meta, asked })}`)
  }
}

const same = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((id, i) => id === other[i])
