import { encodeAbiParameters } from "viem"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { DeriveStore } from "../../test/support/derive-store.js"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { type ServedStore, serveStore } from "../../test/support/served-store.js"
import { evmFamily } from "../families/evm/evm-family.js"
import { displayText } from "../families/evm/indexes/token-metadata/display-text.js"
import { systemClock } from "../platform/clock.js"
import { answerList } from "../queries/answer-request.js"
import type { NodeCalls } from "../queries/node-calls.js"
import type { ListResource } from "../queries/resource.js"
import { ServedChain } from "../queries/served-chain.js"

const blocks = livelyBlocks({ seed: 11, from: 0, to: 60 })
let served: ServedStore
let store: DeriveStore

/** What contracts answer when they are asked for the document of an item. */
let uriOf: (data: string) => string | undefined = () => undefined
const callsSeen: string[] = []
const node: NodeCalls = {
  call: async (method, params) => {
    const { data } = params[0] as { data: string }
    callsSeen.push(`${method} ${data.slice(0, 10)}`)
    const uri = uriOf(data)
    if (uri === undefined) return { refusal: { code: 3, message: "execution reverted" } }
    return { value: encodeAbiParameters([{ type: "string" }], [uri]) }
  },
  close: async () => undefined,
}

beforeAll(async () => {
  served = await serveStore(blocks, { node, itemMetadata: { isOn: true, nodeRequestsPerMinute: 3 } })
  store = served.store
  await store.raw.query("update raw.chain_state set head_height = 59, finalized_height = 40")
}, 60_000)
afterAll(() => served.close())

const get: ServedStore["get"] = (path, headers) => served.get(path, headers)
const walk: ServedStore["walk"] = (path, limit) => served.walk(path, limit)
const contractOf = (row: Record<string, string>): string => row["contract_address"]!

describe("tokens and collections", () => {
  test.each([
    ["tokens", "holders", "holder_count"],
    ["tokens", "transfers", "transfer_count"],
    ["collections", "items", "item_count"],
    ["collections", "transfers", "transfer_count"],
  ])("%s are sorted by %s, in both directions and on any page", async (what, sort, column) => {
    const all = await walk(`/v1/test/${what}`, 2)
    const places = all.map((row): [bigint, string] => [BigInt(row[column]!), contractOf(row)])
    const down = places
      .filter(([count]) => sort !== "items" || count > 0n)
      .sort((a, b) => (a[0] === b[0] ? (a[1] < b[1] ? 1 : -1) : a[0] < b[0] ? 1 : -1))
    const sorted = await walk(`/v1/test/${what}?sort=${sort}`, 2)
    expect(sorted.map(contractOf)).toEqual(down.map(([, contract]) => contract))
    const up = await walk(`/v1/test/${what}?sort=${sort}&order=asc`, 3)
    expect(up.map(contractOf)).toEqual(down.map(([, contract]) => contract).reverse())
    expect(sorted.length).toBeGreaterThan(0)
  })

  test("have totals that are the rows of the whole list", async () => {
    const [token] = await walk("/v1/test/tokens?sort=holders")
    const [collection] = await walk("/v1/test/collections?sort=items")
    const account = `0x${"01".repeat(20)}`
    for (const path of [
      "blocks",
      `tokens/${contractOf(token!)}/holders`,
      `tokens/${contractOf(token!)}/transfers`,
      `collections/${contractOf(collection!)}/items`,
      `collections/${contractOf(collection!)}/transfers`,
      `accounts/${account}/transactions`,
    ]) {
      const rows = await walk(`/v1/test/${path}`, 50)
      const { json } = await get(`/v1/test/${path}?limit=1`)
      expect([path, json.meta.total]).toEqual([path, String(rows.length)])
      expect(rows.length).toBeGreaterThan(0)
    }
    const holders = await walk(`/v1/test/tokens/${contractOf(token!)}/holders`)
    expect(token!["holder_count"]).toBe(String(holders.length))
  })

  test("have no total where heights limit the list", async () => {
    const { json } = await get("/v1/test/blocks?from_height=3")
    expect(json.meta.total).toBeUndefined()
  })

  test("by transfers are not answered until the index is built; by address they are", async () => {
    const index = "ft_tokens_transfer_count_contract_address"
    // What another process finds, which has not seen it yet.
    const chain = new ServedChain({ name: "test", raw: store.raw, app: store.app, clock: systemClock })
    const list = evmFamily.resources.find(({ path }) => path === "/tokens") as ListResource
    const none = { order: undefined, limit: 5, cursor: undefined, from: undefined, to: undefined }
    const answer = (sort: string) => answerList(chain, list, { ...none, values: { sort } })
    await store.app.query(`alter index app.${index} rename to away`)
    expect(await answer("transfers")).toMatchObject({
      data: [],
      meta: { data_watermark: null, coverage: [], gaps: [{ from: "0", to: "60" }], partial: true },
    })
    expect((await answer("holders")).data).not.toEqual([])
    await store.app.query(`alter index app.away rename to ${index}`)
    expect((await answer("transfers")).data).not.toEqual([])
  })
})

test("amounts come with decimals and symbol, and hostile names are inert text of one line", async () => {
  const hostile = "\u202eCDSU\u0000<script>\n=1+1\u2066"
  const shown = displayText(hostile)
  const [token] = await walk("/v1/test/tokens?sort=holders")
  const contract = contractOf(token!)
  await store.app.query(
    `insert into app.token_metadata (contract_address, status, asked_at_height, block_hash, name, symbol, decimals)
     values (decode($1, 'hex'), 'answered', 59, '\\x00', $2, $2, 6)`,
    [contract.slice(2), shown],
  )
  const [holder] = await walk(`/v1/test/tokens/${contract}/holders`)
  const [transfer] = await walk(`/v1/test/tokens/${contract}/transfers`)
  const holdings = await walk(`/v1/test/accounts/${holder!["address"]}/holdings`)
  const holding = holdings.find((row) => contractOf(row) === contract)
  const { data: detail } = (await get(`/v1/test/tokens/${contract}`)).json
  const ofTransaction = await walk(`/v1/test/transactions/${transfer!["transaction_hash"]}/transfers`)
  const again = ofTransaction.find((row) => contractOf(row) === contract)
  await store.app.query("delete from app.token_metadata")
  for (const row of [holder, transfer, holding, detail, again]) {
    expect(row).toMatchObject({ decimals: 6, symbol: shown })
    expect(BigInt(row!.balance ?? row!.amount ?? row!.minted)).toBeTypeOf("bigint")
  }
  expect(shown).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})

describe("search", () => {
  const search = async (q: string) => (await get(`/v1/test/search?q=${encodeURIComponent(q)}`)).json.data

  test("finds heights, hashes and addresses, and what is not there finds nothing", async () => {
    const { json } = await get("/v1/test/blocks/12")
    const block = { type: "block", match: "exact", block_height: "12", hash: json.data.hash }
    expect(await search("12")).toMatchObject([block])
    expect(await search(json.data.hash.toUpperCase().replace("X", "x"))).toMatchObject([block])
    const transaction = blocks.flatMap(({ transactions }) => transactions)[3]!
    expect(await search(`0x${transaction.id}`)).toMatchObject([{ type: "transaction", hash: `0x${transaction.id}` }])
    const [token] = await walk("/v1/test/tokens?sort=transfers")
    const address = contractOf(token!)
    expect(await search(address)).toMatchObject([
      { type: "token", match: "exact", address, transfer_count: token!["transfer_count"] },
    ])
    const prefixed = await search(address.slice(0, 5))
    expect(prefixed).toContainEqual(expect.objectContaining({ type: "token", match: "prefix", address }))
    expect(await search(`0x${"01".repeat(20)}`)).toMatchObject([{ type: "account" }])
    for (const absent of [
      "60",
      "999999999999999",
      `0x${"ee".repeat(32)}`,
      `0x${"ee".repeat(20)}`,
      "0x",
      "\u0000",
      "' or 1=1",
    ])
      expect(await search(absent)).toEqual([])
  })

  test("ranks names: whole, beginning, word, part; then by use", async () => {
    const contracts = (await walk("/v1/test/tokens?sort=transfers")).map(contractOf)
    const names = ["My Doge", "Dogecoin", "babydoge", "Doge"]
    for (const [at, name] of names.entries()) {
      await store.app.query(
        `insert into app.token_metadata (contract_address, status, asked_at_height, block_hash, name, symbol)
         values (decode($1, 'hex'), 'answered', 59, '\\x00', $2, $2)`,
        [contracts[at]!.slice(2), name],
      )
    }
    const found = await search(" DOGE ")
    await store.app.query("delete from app.token_metadata")
    expect(found.map((row: { name: string; match: string }) => [row.name, row.match])).toEqual([
      ["Doge", "exact"],
      ["Dogecoin", "prefix"],
      ["My Doge", "word"],
      ["babydoge", "contains"],
    ])
    expect(await search("doge")).toEqual([])
  })

  test("shows nothing that its worker has not covered", async () => {
    await store.app.query("update app.coverage set heights = '{[0,10)}' where worker_type = 'search_worker'")
    const shown = [await search("9"), await search("12")]
    await store.app.query("update app.coverage set heights = '{[0,60)}' where worker_type = 'search_worker'")
    expect(shown).toMatchObject([[{ block_height: "9" }], []])
  })
})

describe("at a height", () => {
  const account = `0x${"02".repeat(20)}`

  test("holdings are what the transfers up to there leave, and at the end those of now", async () => {
    const { rows } = await store.app.query<Record<string, string>>(
      `select block_height as height, '0x' || encode(contract_address, 'hex') as contract, amount::text,
         '0x' || encode(from_address, 'hex') as giver, '0x' || encode(to_address, 'hex') as taker from app.ft_transfers`,
    )
    for (const at of [0, 7, 23, 58]) {
      const held = new Map<string, bigint>()
      for (const { height, contract, amount, giver, taker } of rows) {
        if (Number(height) > at) continue
        const change = (taker === account ? BigInt(amount!) : 0n) - (giver === account ? BigInt(amount!) : 0n)
        if (taker === account || giver === account) held.set(contract!, (held.get(contract!) ?? 0n) + change)
      }
      const found = await walk(`/v1/test/accounts/${account}/holdings?at=${at}`, 2)
      expect(new Map(found.map((row) => [contractOf(row), BigInt(row["balance"]!)]))).toEqual(held)
    }
    const now = await walk(`/v1/test/accounts/${account}/holdings`)
    expect(await walk(`/v1/test/accounts/${account}/holdings?at=59`)).toEqual(now)
    expect(await walk(`/v1/test/accounts/0x${"00".repeat(20)}/holdings?at=59`)).toEqual([])
    const { meta } = (await get(`/v1/test/accounts/${account}/holdings?at=7`)).json
    expect(meta.coverage).toEqual([{ from: "0", to: "8" }])
  })

  test("an item has the owner that it had", async () => {
    const [collection] = await walk("/v1/test/collections?sort=items")
    const contract = contractOf(collection!)
    const items = `/v1/test/collections/${contract}/items`
    const transfers = await walk(`/v1/test/collections/${contract}/transfers?order=asc`, 100)
    for (const item of await walk(items)) {
      const own = transfers.filter((row) => row["token_id"] === item["token_id"])
      for (const at of [Number(own[0]!["block_height"]), 30, 59]) {
        const past = own.filter((row) => Number(row["block_height"]) <= at)
        const { status, json } = await get(`${items}/${item["token_id"]}?at=${at}`)
        if (past.length === 0) expect(status).toBe(404)
        else
          expect(json.data).toMatchObject({ owner: past.at(-1)!["to_address"], transfer_count: String(past.length) })
      }
      expect((await get(`${items}/${item["token_id"]}?at=59`)).json.data).toEqual(item)
    }
  })

  test("holders of a token are those that its transfers leave, and one of them is the same by itself", async () => {
    const [{ contract_address: contract } = {}] = await walk("/v1/test/tokens?sort=holders")
    const transfers = await walk(`/v1/test/tokens/${contract}/transfers?order=asc`, 100)
    for (const at of [0, 11, 40, 59]) {
      const held = new Map<string, bigint>()
      for (const { block_height, amount, from_address, to_address } of transfers) {
        if (Number(block_height) > at) continue
        held.set(from_address!, (held.get(from_address!) ?? 0n) - BigInt(amount!))
        held.set(to_address!, (held.get(to_address!) ?? 0n) + BigInt(amount!))
      }
      held.delete(`0x${"00".repeat(20)}`)
      const holders = await walk(`/v1/test/tokens/${contract}/holders?at=${at}`, 2)
      expect(new Map(holders.map((row) => [row["address"], BigInt(row["balance"]!)]))).toEqual(
        new Map([...held].filter(([, balance]) => balance > 0n)),
      )
      for (const [address, balance] of held) {
        const { json } = await get(`/v1/test/tokens/${contract}/holders/${address}?at=${at}`)
        expect(json.data).toMatchObject({ address, balance: String(balance) })
      }
    }
    const now = await walk(`/v1/test/tokens/${contract}/holders`)
    expect(await walk(`/v1/test/tokens/${contract}/holders?at=59`)).toEqual(now)
    const one = `/v1/test/tokens/${contract}/holders/${now[0]!["address"]}`
    expect((await get(one)).json.data).toEqual(now[0])
    expect((await get(`${one}?at=59`)).json.data).toEqual(now[0])
    expect((await get(`/v1/test/tokens/${contract}/holders?at=59`)).json.meta.total).toBeUndefined()
    for (const query of ["", "?at=59"])
      expect((await get(`/v1/test/tokens/${contract}/holders/0x${"ee".repeat(20)}${query}`)).status).toBe(404)
  })

  test("NFTs are those that the account had received last, whoever a transfer names as the giver", async () => {
    const { rows } = await store.app.query<Record<string, string>>(
      `select block_height as height, '0x' || encode(contract_address, 'hex') as contract, token_id, amount, standard,
         '0x' || encode(from_address, 'hex') as giver, '0x' || encode(to_address, 'hex') as taker from app.nft_transfers
       order by block_height, transaction_index, event_index, batch_index`,
    )
    const seen = new Set<string>()
    for (const at of [3, 20, 44, 59]) {
      for (const owner of new Set(rows.map(({ taker }) => taker!))) {
        const had = new Map<string, bigint>()
        for (const { height, contract, token_id, amount, standard, giver, taker } of rows) {
          if (Number(height) > at) continue
          const item = `${contract} ${token_id} ${standard}`
          if (standard === "erc721") had.set(item, taker === owner ? 1n : 0n)
          else if (!/^0x0+$/.test(owner)) {
            const change = (taker === owner ? BigInt(amount!) : 0n) - (giver === owner ? BigInt(amount!) : 0n)
            had.set(item, (had.get(item) ?? 0n) + change)
          }
        }
        const found = await walk(`/v1/test/accounts/${owner}/nfts?at=${at}`, 30)
        const shown = found.map((row): [string, bigint] => {
          seen.add(row["standard"]!)
          return [`${contractOf(row)} ${row["token_id"]} ${row["standard"]}`, BigInt(row["balance"]!)]
        })
        expect(new Map(shown)).toEqual(new Map([...had].filter(([, balance]) => balance !== 0n)))
        if (at === 59) expect(await walk(`/v1/test/accounts/${owner}/nfts`, 200)).toEqual(found)
      }
    }
    expect([...seen].sort()).toEqual(["erc1155", "erc721"])
  })

  test("that is not covered there is nothing, and too many transfers are refused", async () => {
    const busy = `0x${"aa".repeat(20)}`
    const [{ contract_address: quiet } = {}] = await walk("/v1/test/tokens?sort=holders")
    const { json } = await get(`/v1/test/tokens/${quiet}/holders/${account}?at=5`)
    for (const path of [`accounts/${account}/holdings`, `accounts/${account}/nfts`, `tokens/${quiet}/holders`])
      expect((await get(`/v1/test/${path}?at=60`)).status).toBe(404)
    await store.app.query(
      `insert into app.ft_transfers (block_height, transaction_index, event_index, transaction_id, timestamp,
         contract_address, from_address, to_address, amount, kind)
       select 5, 1000, n, '\\x01', now(), decode($2, 'hex'), decode($1, 'hex'), decode($1, 'hex'), 1, 'transfer'
       from generate_series(1, 20001) as n`,
      [account.slice(2), busy.slice(2)],
    )
    await store.app.query(
      `insert into app.nft_transfers (block_height, transaction_index, event_index, batch_index, transaction_id, timestamp,
         contract_address, standard, from_address, to_address, token_id, amount, kind)
       select 5, 1000, n, 0, '\\x01', now(), '\\xaa', 'erc721', '\\xbb', decode($1, 'hex'), n, 1, 'transfer'
       from generate_series(1, 20001) as n`,
      [account.slice(2)],
    )
    const at = async (path: string, height: number) => (await get(`/v1/test/${path}?at=${height}`)).status
    const many = [`accounts/${account}/holdings`, `accounts/${account}/nfts`, `tokens/${busy}/holders`]
    const refused = await Promise.all([...many, `tokens/${busy}/holders/${account}`].map((path) => at(path, 5)))
    const before = await Promise.all(many.map((path) => at(path, 4)))
    // The account has too many transfers, but the token has few.
    const few = await get(`/v1/test/tokens/${quiet}/holders/${account}?at=5`)
    const { json: why } = await get(`/v1/test/${many[0]}?at=5`)
    for (const table of ["ft_transfers", "nft_transfers"])
      await store.app.query(`delete from app.${table} where transaction_index = 1000`)
    expect(refused).toEqual([422, 422, 422, 422])
    expect(why.error.code).toBe("TOO_MANY_EVENTS")
    expect(before).toEqual([200, 200, 200])
    expect(few).toMatchObject({ status: 200, json: { data: json.data } })
  })
})

describe("the document of an item", () => {
  const itemPath = async (at: number): Promise<string> => {
    for (const collection of await walk("/v1/test/collections")) {
      const path = `/v1/test/collections/${contractOf(collection)}/items`
      const item = (await walk(path))[at]
      if (item) return `${path}/${item["token_id"]}/metadata`
    }
    throw new Error("the store has no items")
  }

  test("is read once, kept, made inert, and limited for each client", async () => {
    const json = JSON.stringify({ name: "One\u202e<b>", image: "javascript:alert(1)", attributes: [{ value: 7 }] })
    const uri = `data:application/json;base64,${Buffer.from(json).toString("base64")}`
    uriOf = (data) => (data.startsWith("0xc87b56dd") ? uri : undefined)
    const path = await itemPath(0)
    const { json: first } = await get(path)
    expect(first.data).toMatchObject({
      ...{ status: "ok", message: null, uri },
      metadata: {
        ...{ name: "One <b>", description: null, image: null, external_url: null },
        attributes: [{ trait: null, value: "7" }],
      },
    })
    const asked = callsSeen.length
    expect((await get(path)).json).toEqual(first)
    expect(callsSeen.length).toBe(asked)

    uriOf = (data) => (data.startsWith("0x0e89341c") ? "https://127.0.0.1/{id}.json" : undefined)
    const { json: refused } = await get(await itemPath(1))
    expect(refused.data).toMatchObject({
      ...{ status: "refused", message: "its host is not on the public internet", metadata: null },
      uri: expect.stringMatching(/^https:\/\/127.0.0.1\/[0-9a-f]{64}\.json$/),
    })
    uriOf = () => undefined
    expect((await get(await itemPath(2))).json.data).toMatchObject({ status: "none", uri: null })
    const { status, json: limited } = await get(await itemPath(3))
    expect([status, limited.error.code]).toEqual([429, "RATE_LIMITED"])
    expect((await get(path)).status).toBe(200)
  })

  test("is not asked for where nobody knows the item", async () => {
    const asked = callsSeen.length
    const path = (await itemPath(0)).replace(/0x[0-9a-f]{40}/, `0x${"ee".repeat(20)}`)
    expect((await get(path)).status).toBe(404)
    expect(callsSeen.length).toBe(asked)
  })
})
