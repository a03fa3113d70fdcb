// Search: heights, hashes, addresses and their beginnings, and names. Exact before the beginning of a text, before the
// beginning of a word, before a part; then what is used more. Each way reads an index, and a bounded number of rows.

import { type TProperties, Type } from "typebox"
import { containsHeight } from "../../../domain/range-set.js"
import type { Queryable } from "../../../postgres/transaction.js"
import type { AnswerScope } from "../../../queries/answer-scope.js"
import { RequestError } from "../../../queries/request-error.js"
import type { DetailResource, RequestValues } from "../../../queries/resource.js"
import { bytesOf, digits, jsonRow, orNull } from "../../../queries/value-schemas.js"
import { displayText } from "../indexes/token-metadata/display-text.js"
import { lookUpBlock, lookUpTransaction } from "./chain-columns.js"
import { type Match, type NameMatch, rankOf, searchNames } from "./search-names.js"

const query: TProperties = {
  q: Type.String({
    minLength: 1,
    maxLength: 100,
    description: "A height, a hash, an address or its beginning, a name, a label",
  }),
}
const types = ["block", "transaction", "token", "collection", "contract", "account"] as const
const found = Type.Object({
  type: Type.Enum([...types]),
  match: Type.Enum(["exact", "prefix", "word", "contains"]),
  block_height: orNull("string"),
  hash: orNull("string"),
  address: orNull("string"),
  label: orNull("string"),
  name: orNull("string"),
  symbol: orNull("string"),
  decimals: orNull("integer"),
  transfer_count: Type.Unsafe({ ...digits, type: ["string", "null"] }),
})

interface Found {
  readonly type: (typeof types)[number]
  readonly match: Match
  readonly block_height?: string
  readonly hash?: string
  readonly address?: string
  readonly label?: string | null
  readonly name?: string | null
  readonly symbol?: string | null
  readonly decimals?: number | null
  readonly transfer_count?: string
}

/** Of contracts and names. */
const mostResults = 20
const mostByAddress = 100

const nothing = {
  ...{ block_height: null, hash: null, address: null, label: null, name: null, symbol: null, decimals: null },
  transfer_count: null,
}

export const searchResource: DetailResource = {
  ...{ kind: "detail", path: "/search", tag: "search", store: "app", workers: ["search_worker"] },
  summary: "Blocks, transactions, accounts, contracts, tokens and collections, by `q`",
  query,
  row: Type.Array(found),
  absent: [],
  needs: () => ({ tables: ["address_labels"] }),
  plansVary: true,
  lookup: async (raw, { q }) => ({ ...(await ofChain(raw, q!)), raw_epoch: await epochOf(raw) }),
  read: async (tx, { request, scope }) => {
    // Else a block that only one of the databases has would be taken for one that both have.
    if (request["raw_epoch"] !== String(scope.epoch)) {
      throw new RequestError("ROLLBACK_IN_PROGRESS", "a rollback is being finished: ask again")
    }
    const text = displayText(request["q"]!)
    const rows = [
      ...inChain(request, scope),
      ...(/^0x[0-9a-f]{2,40}$/.test(text) ? await byAddress(tx, text) : []),
      ...(text === "" ? [] : await byName(tx, text)),
    ]
    return { data: rows.map((row) => jsonRow({ ...nothing, ...row })), height: undefined }
  },
}

const epochOf = async (raw: Queryable): Promise<string> => {
  const { rows } = await raw.query<{ epoch: string }>("select chain_epoch as epoch from raw.chain_state")
  return rows[0]?.epoch ?? ""
}

async function ofChain(raw: Queryable, q: string): Promise<RequestValues> {
  const isHash = /^0x[0-9a-f]{64}$/.test(q)
  if (!isHash && !/^[0-9]{1,15}$/.test(q)) return {}
  const height = (await lookUpBlock(raw, { block: q }, { isLast: false }))?.["lookup_height"]
  const block = height === undefined ? [] : (await blockAt(raw, height)).rows
  const transaction = isHash ? await lookUpTransaction(raw, { hash: q }, { isLast: false }) : undefined
  return {
    ...(block[0] ? { block_height: block[0].height, block_hash: `0x${block[0].hash.toString("hex")}` } : {}),
    ...(transaction ? { transaction_height: transaction["lookup_height"]! } : {}),
  }
}

const blockAt = (raw: Queryable, height: string) =>
  raw.query<{ height: string; hash: Buffer }>("select height, hash from raw.blocks where height = $1", [height])

/** What raw knows, where the answer's workers are that far. */
function inChain(request: RequestValues, scope: AnswerScope): Found[] {
  const isShown = (height: string | undefined): height is string =>
    height !== undefined && containsHeight(scope.covered, Number(height))
  const { block_height: block, block_hash: hash, transaction_height: transaction, q } = request
  return [
    ...(isShown(block) ? [{ type: "block", match: "exact", block_height: block, hash: hash! } as const] : []),
    ...(isShown(transaction)
      ? [{ type: "transaction", match: "exact", block_height: transaction, hash: q! } as const]
      : []),
  ]
}

/** Of addresses that contracts or operators gave a name. */
const subjectsOf = (addresses: string): string => `select one.address, s.ft_transfers, s.nft_transfers, s.deployments,
    l.label, m.name, m.symbol, m.decimals
  from (${addresses}) as one left join app.search_subjects s using (address) left join app.address_labels l using (address)
    left join app.token_metadata m on m.contract_address = one.address
  where s.address is not null or l.address is not null`

interface Subject extends Record<string, unknown> {
  address: Buffer
  /** Null: nothing says that it is a contract. */
  ft_transfers: string | null
  nft_transfers: string | null
  deployments: string | null
  label: string | null
  name: string | null
  symbol: string | null
  decimals: number | null
}

type Ranked = Found & { readonly rank: number; readonly used: number }

function subject(row: Subject, how: NameMatch): Ranked {
  const { address, ft_transfers: ft, nft_transfers: nft, deployments, ...shown } = row
  const type =
    Number(ft) > 0 ? "token" : Number(nft) > 0 ? "collection" : deployments === null ? "account" : "contract"
  const used = Number(ft) + Number(nft)
  const count = deployments === null ? {} : { transfer_count: String(used) }
  return {
    ...shown,
    ...count,
    type,
    match: how.match,
    address: `0x${address.toString("hex")}`,
    rank: rankOf(how),
    used,
  }
}

/** Each part by its own index. */
const between = (table: string): string =>
  `(select address from ${table} where address >= $1 and address <= $2 order by address limit $3)`
const byAddressSql = subjectsOf(`${between("app.search_subjects")} union ${between("app.address_labels")}`)
const byNameSql = subjectsOf("select address from unnest($1::bytea[]) as address")

async function byAddress(tx: Queryable, text: string): Promise<Found[]> {
  const isWhole = text.length === 42
  const low = bytesOf(text.padEnd(42, "0"))
  const high = bytesOf(text.padEnd(42, "f"))
  const { rows } = await tx.query<Subject>(byAddressSql, [low, high, mostByAddress])
  const how = { match: isWhole ? "exact" : "prefix", labelled: false } as const
  if (rows.length > 0 || !isWhole) return best(rows.map((row) => subject(row, how)))
  const { rows: accounts } = await tx.query("select 1 from app.address_stats where address = $1", [low])
  return accounts.map(() => ({ type: "account", match: "exact", address: text }))
}

async function byName(tx: Queryable, text: string): Promise<Found[]> {
  const matches = await searchNames(tx, { text, enough: mostResults })
  const { rows } = await tx.query<Subject>(byNameSql, [[...matches.keys()].map((hex) => Buffer.from(hex, "hex"))])
  return best(rows.map((row) => subject(row, matches.get(row.address.toString("hex"))!)))
}

function best(found: readonly Ranked[]): Found[] {
  return [...found]
    .sort((a, b) => a.rank - b.rank || b.used - a.used || (a.address! < b.address! ? -1 : 1))
    .slice(0, mostResults)
    .map(({ rank: _, used: __, ...one }) => one)
}
