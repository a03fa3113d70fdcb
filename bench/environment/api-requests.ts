// What clients of an explorer ask for: lists and single things in the proportions of a day's traffic, of transactions, accounts
// and tokens that there are, the busy ones more often. The same seed asks for the same, in the same order.

import type { Connection } from "../../src/postgres/connection.js"
import { seededRandom } from "../../test/support/seeded-random.js"

export interface ApiRequests {
  /** A path from `/v1`, and the name of its route. */
  next(): { readonly route: string; readonly path: string }
}

interface Things {
  readonly transactions: readonly string[]
  readonly blocks: readonly string[]
  readonly accounts: readonly string[]
  readonly tokens: readonly string[]
  readonly collections: readonly string[]
  readonly items: readonly { readonly collection: string; readonly id: string }[]
}

interface ApiRequestsOptions {
  readonly store: Connection
  readonly chain: string
  /** Heights [0, blocks) are there. */
  readonly blocks: number
  readonly seed: number
}

const sample = 3_000

export async function apiRequests({ store, chain, blocks, seed }: ApiRequestsOptions): Promise<ApiRequests> {
  const random = seededRandom(seed)
  const things = await readThings(store)
  const height = (): number => random.below(blocks)
  const { transactions, accounts, tokens, collections } = things
  const item = (): string => {
    const { collection, id } = random.pick(things.items)
    return `collections/${collection}/items/${id}`
  }
  /** Part of requests, route, path. */
  const mix: readonly (readonly [number, string, () => string])[] = [
    [5, "blocks", () => "blocks"],
    [3, "blocks, of a stretch", () => `blocks?from_height=${height()}&limit=50&order=asc`],
    [8, "block by height", () => `blocks/${height()}`],
    [4, "block by hash", () => `blocks/${random.pick(things.blocks)}`],
    [6, "transactions of a block", () => `blocks/${height()}/transactions`],
    [6, "transactions", () => "transactions"],
    [3, "transactions, of a stretch", () => `transactions?to_height=${1 + height()}&limit=100`],
    [15, "transaction", () => `transactions/${random.pick(transactions)}`],
    [5, "events of a transaction", () => `transactions/${random.pick(transactions)}/events`],
    [4, "transfers of a transaction", () => `transactions/${random.pick(transactions)}/transfers`],
    [3, "events by contract", () => `events?address=${random.pick(tokens)}`],
    [8, "account", () => `accounts/${random.pick(accounts)}`],
    [7, "transactions of an account", () => `accounts/${random.pick(accounts)}/transactions`],
    [5, "token transfers of an account", () => `accounts/${random.pick(accounts)}/ft-transfers`],
    [2, "NFT transfers of an account", () => `accounts/${random.pick(accounts)}/nft-transfers`],
    [4, "holdings of an account", () => `accounts/${random.pick(accounts)}/holdings`],
    [1, "NFTs of an account", () => `accounts/${random.pick(accounts)}/nfts`],
    [2, "tokens", () => "tokens"],
    [3, "token", () => `tokens/${random.pick(tokens)}`],
    [3, "transfers of a token", () => `tokens/${random.pick(tokens)}/transfers`],
    [2, "holders of a token", () => `tokens/${random.pick(tokens)}/holders?limit=100`],
    [1, "collection", () => `collections/${random.pick(collections)}`],
    [1, "items of a collection", () => `collections/${random.pick(collections)}/items`],
    [1, "item", item],
    [1, "daily statistics", () => "stats/daily"],
    [1, "coverage", () => "coverage?buckets=100"],
  ]
  const all = mix.reduce((sum, [part]) => sum + part, 0)
  return {
    next: () => {
      let at = random.next() * all
      const [, route, path] = mix.find(([part]) => {
        at -= part
        return at < 0
      })!
      return { route, path: `/v1/${chain}/${path()}` }
    },
  }
}

async function readThings(store: Connection): Promise<Things> {
  const column = async (sql: string): Promise<string[]> => {
    const { rows } = await store.query<{ hex: string }>(sql, [sample])
    return rows.map(({ hex }) => hex)
  }
  const { rows: items } = await store.query<{ collection: string; id: string }>(
    `select '0x' || encode(contract_address, 'hex') as collection, token_id::text as id
     from app.nft_ownership order by md5(contract_address::text || token_id) limit $1`,
    [sample],
  )
  const transactionOf = `app.evm_transactions where md5(transaction_id::text) < '02' limit $1`
  return {
    transactions: await column(`select '0x' || encode(transaction_id, 'hex') as hex from ${transactionOf}`),
    // As often as they sent something: a busy account is asked for more often.
    accounts: await column(`select '0x' || encode(from_address, 'hex') as hex from ${transactionOf}`),
    blocks: await column(
      `select '0x' || encode(id, 'hex') as hex from raw.block_lookup order by md5(id::text) limit $1`,
    ),
    tokens: await column(`select '0x' || encode(contract_address, 'hex') as hex from app.ft_tokens limit $1`),
    collections: await column(
      `select '0x' || encode(contract_address, 'hex') as hex from app.nft_collections limit $1`,
    ),
    items,
  }
}
