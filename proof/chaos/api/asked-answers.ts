// What a client asks once it knows that a block was written, compared with the chain: what was written, balances now and in
// the past, the lists of Etherscan's format.

import assert from "node:assert/strict"
import type { Chain } from "../../../test/chain/synthetic-chain.js"
import type { SeededRandom } from "../../../test/support/seeded-random.js"
import { type ApiAnswer, askApi } from "./ask-api.js"
import type { ChainTruth } from "./chain-truth.js"
import { coverageOf } from "./list-walker.js"

export interface AskedAnswersOptions {
  /** Of the server. */
  readonly url: string
  readonly chainName: string
  readonly truth: ChainTruth
  readonly random: SeededRandom
  readonly signal: AbortSignal
  /** What the node shows at the moment. */
  readonly view: () => { readonly chain: Chain; readonly head: number }
}

type Row = Readonly<Record<string, string>>

const most = 200
/** Of blocks: the list of one account in them is short. */
const listed = 12

export class AskedAnswers {
  readonly compared = { balances: 0, past: 0, holders: 0, etherscan: 0 }

  constructor(private readonly options: AskedAnswersOptions) {}

  /** Patient: the answer has to come. */
  async ask(path: string, mayFail: readonly string[] = []): Promise<ApiAnswer> {
    const { url, chainName, signal } = this.options
    for (;;) {
      const options = { signal, mayFail: [...mayFail, "NOT_FOUND", "NOT_REACHED"] }
      const answer = await askApi(`${url}/v1/${chainName}/${path}`, options)
      if (answer === undefined) throw new Error(`nobody answered ${path}`)
      const code = answer.error?.code
      if (code === undefined || mayFail.includes(code)) return answer
    }
  }

  get atHead(): string {
    const { chain, head } = this.options.view()
    return `min_height=${head}&min_block_hash=${chain.hashAt(head)}`
  }

  /** Whoever asks for what was just written sees it, and nothing of another branch. */
  async seesWritten(): Promise<void> {
    const { truth, view } = this.options
    const { chain, head } = view()
    const { data, meta } = await this.ask(`transactions?from_height=${head}&limit=${most}&order=asc&${this.atHead}`)
    const part = { kind: "transactions", order: "asc", coverage: coverageOf({ data, meta, status: 200 }) } as const
    const expected = truth.rows(chain, { ...part, after: { height: head - 1, index: 1e6 }, last: undefined })
    const seen = (data as Row[]).map((row) => row["transaction_hash"])
    assert.deepEqual(seen, expected, `min_height=${head} does not see what was written`)
    assert.ok(expected.length > 0, `min_height=${head} was answered by what did not cover it`)
  }

  async seesBalances(): Promise<void> {
    const { truth, view } = this.options
    const { chain, head } = view()
    const account = this.#account(chain)
    const { data, meta } = await this.ask(`accounts/${account}/holdings?limit=${most}&${this.atHead}`)
    const coverage = coverageOf({ data, meta, status: 200 })
    // While history fills, balances are of no single height.
    if (coverage.length !== 1 || coverage[0]!.from !== 0) return
    const expected = truth.holdings(chain, { account, height: coverage[0]!.to - 1 })
    assert.deepEqual(
      balancesOf(data, "contract_address"),
      sorted(expected),
      `${account} holds something else at ${head}`,
    )
    this.compared.balances++
  }

  /** As of a height, however much was stored since: an account's balances, a token's holders, and one of them. */
  async seesPast(): Promise<void> {
    const { truth, view, random } = this.options
    const { chain, head } = view()
    const account = this.#account(chain)
    const at = random.below(head + 1)
    // While history fills, the height may not be covered, or those below it.
    const answer = await this.ask(`accounts/${account}/holdings?limit=${most}&at=${at}&${this.atHead}`, ["NOT_FOUND"])
    if (answer.error || answer.meta.partial) return
    const expected = truth.holdings(chain, { account, height: at })
    const said = `${account} did not hold that at ${at}`
    assert.deepEqual(balancesOf(answer.data, "contract_address"), sorted(expected), said)
    this.compared.past++
    const [token] = [...expected.keys()]
    if (token === undefined) return
    const { data } = await this.ask(`tokens/${token}/holders?limit=${most}&at=${at}`)
    const holders = truth.holders(chain, { token, height: at })
    const positive = new Map([...holders].filter(([, balance]) => balance > 0n))
    assert.deepEqual(balancesOf(data, "address"), sorted(positive), `others held ${token} at ${at}`)
    const { data: one } = await this.ask(`tokens/${token}/holders/${account}?at=${at}`)
    assert.equal((one as Row)["balance"], String(expected.get(token)), `${account} had another amount of ${token}`)
    this.compared.holders++
  }

  /** The transfers of an account in the newest blocks, as Etherscan lists them. */
  async seesTransfers(): Promise<void> {
    const { url, truth, view, signal } = this.options
    const { chain, head } = view()
    const account = this.#account(chain)
    const range = { from: Math.max(0, head - listed), to: head + 1 }
    // The format has no way to wait for a block.
    await this.ask(`accounts/${account}/ft-transfers?limit=1&${this.atHead}`)
    const query = `address=${account}&startblock=${range.from}&endblock=${head}&sort=asc&page=1&offset=${most}`
    const response = await fetch(`${url}/api?module=account&action=tokentx&${query}`, { signal })
    const { message, result } = (await response.json()) as { message: string; result: string | Row[] }
    // What is not complete is refused, and said so.
    if (typeof result === "string") {
      assert.match(result, /^Error! (Incomplete|A rollback|Raw and app|a rollback)/, `${message}: ${result}`)
      return
    }
    const shown = result.map((row) => [
      ...[row["blockNumber"], row["contractAddress"], row["from"], row["to"], row["value"]],
    ])
    const transfers = truth.transfers(chain, { account, ...range })
    const expected = transfers.map(({ height, token, from, to, amount }) => [
      ...[String(height), token, from, to, String(amount)],
    ])
    assert.deepEqual(shown, expected, `${account} transferred something else in ${range.from} to ${head}`)
    this.compared.etherscan++
  }

  #account(chain: Chain): string {
    return chain.universe.holder(this.options.random.below(5)).address
  }
}

const balancesOf = (rows: readonly Row[], name: string): string[] =>
  sorted(new Map(rows.map((row): [string, bigint] => [row[name]!, BigInt(row["balance"]!)])))

const sorted = (balances: ReadonlyMap<string, bigint>): string[] =>
  [...balances].map(([name, balance]) => `${name} ${balance}`).sort()
