import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { livelyBlocks } from "../../../test/support/lively-blocks.js"
import { type ServedStore, serveStore } from "../../../test/support/served-store.js"
import { defineWorker } from "../../families/evm/define-worker.js"
import { evmFamily } from "../../families/evm/evm-family.js"
import type { Queryable } from "../../postgres/transaction.js"
import type { Store } from "../../queries/answer-scope.js"
import { ChainGraph } from "../../queries/graphql/chain-graph.js"
import type { ServedChain } from "../../queries/served-chain.js"
import { amount, bytes, int4, int8 } from "../../workers/column.js"
import { eventTable, stateTable, sum } from "../../workers/define-worker.js"
import { refusalOf } from "../refusal.js"

const blocks = livelyBlocks({ seed: 7, from: 0, to: 60 })
const transactions = blocks.flatMap((block) => block.transactions)

/** A user's own: paid transactions, and what each address paid to whom. */
const payments = defineWorker({
  name: "payments_worker",
  version: 1,
  tables: {
    payments: eventTable({
      columns: { block_height: int8, transaction_index: int4, payer: bytes, payee: bytes, amount },
      key: ["block_height", "transaction_index"],
      indexes: [["payer", "block_height"]],
    }),
    payers: stateTable({
      key: { address: bytes },
      columns: { paid: sum(int8) },
      sources: [{ table: "payments", key: { address: "payer" }, set: { paid: { literal: 1 } } }],
      indexes: [["paid"]],
    }),
  },
  extract({ block, emit }) {
    for (const transaction of block.transactions) {
      const [from, to] = [transaction.from, transaction.to]
      if (from === null || to === null) continue
      const place = { block_height: block.height, transaction_index: transaction.index }
      emit.payments({ ...place, payer: from, payee: to, amount: transaction.field("value") })
    }
  },
})

let served: ServedStore

beforeAll(async () => {
  served = await serveStore(blocks, { twoDatabases: true, workers: [...evmFamily.workers, payments] })
  await served.store.raw.query("update raw.chain_state set head_height = 59, finalized_height = 40")
}, 60_000)
afterAll(() => served.close())

async function send(body: string, headers: Record<string, string> = {}, path = "/graphql") {
  const response = await fetch(`${served.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  })
  // biome-ignore lint/suspicious/noExplicitAny: whatever is answered.
  return { status: response.status, headers: response.headers, json: (await response.json()) as any }
}

const ask = async (query: string, variables: object = {}) => (await send(JSON.stringify({ query, variables }))).json
const codesOf = async (query: string, variables: object = {}): Promise<string[]> =>
  ((await ask(query, variables)).errors ?? []).map((one: { extensions: { code: string } }) => one.extensions.code)

/** The same graph over a chain that reports its statements, or does something between them. */
function watched(
  see: (sql: string, asked: { store: Store; values: readonly unknown[]; tx: Queryable }) => Promise<void> | void,
): ChainGraph {
  const { chain } = served
  const watching: Pick<
    ServedChain,
    "name" | "clock" | "registry" | "read" | "readPrepared" | "readTogether" | "head" | "cursors"
  > = {
    ...{ name: chain.name, clock: chain.clock, registry: chain.registry },
    read: (store, work) => chain.read(store, work),
    readPrepared: (store, work) => chain.readPrepared(store, work),
    head: () => chain.head(),
    cursors: () => chain.cursors(),
    readTogether: (stores, work) =>
      chain.readTogether(stores, (snapshots) => {
        const seen = (store: Store): Queryable => ({
          query: async (sql, values = []) => {
            await see(sql, { store, values, tx: snapshots[store] })
            return snapshots[store].query(sql, values)
          },
        })
        return work({ raw: seen("raw"), app: seen("app") })
      }),
  }
  return new ChainGraph(watching as ServedChain, evmFamily.graph, { operations: 1 })
}
const run = (graph: ChainGraph, query: string) =>
  graph.run({ query, operationName: undefined, variables: {}, signal: new AbortController().signal })

interface Page {
  readonly edges: readonly { readonly node: { readonly transaction_id: string } }[]
  readonly nodes: readonly Record<string, string>[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string }
}

describe("lists", () => {
  test("have every row once, in both directions, whatever the page", async () => {
    for (const direction of ["asc", "desc"]) {
      const found: string[] = []
      let after: string | null = null
      do {
        const query = `query ($after: String) { evm_transactions(first: 7, after: $after, orderDirection: ${direction}) {
          edges { cursor node { transaction_id } } pageInfo { hasNextPage endCursor } } }`
        const list: Page = (await ask(query, { after })).data.evm_transactions
        found.push(...list.edges.map(({ node }) => node.transaction_id))
        after = list.pageInfo.hasNextPage ? list.pageInfo.endCursor : null
      } while (after !== null)
      const expected = transactions.map(({ id }) => `0x${id}`)
      expect(found).toEqual(direction === "asc" ? expected : expected.reverse())
    }
  })

  test("of state are in the order that is asked for, also where rows are equal in it and of several keys", async () => {
    const { rows: tokens } = await served.store.app.query<{ address: string }>(
      "select '0x' || encode(contract_address, 'hex') as address from app.ft_tokens",
    )
    const found: string[] = []
    let after: string | null = null
    do {
      const query = `query ($after: String, $tokens: [Bytes!]) {
        ft_holdings(first: 3, after: $after, where: { contract_address_in: $tokens }, orderBy: balance) {
          nodes { address contract_address balance } pageInfo { hasNextPage endCursor } } }`
      const { nodes, pageInfo }: Page = (await ask(query, { after, tokens: tokens.map(({ address }) => address) }))
        .data.ft_holdings
      found.push(...nodes.map((row) => Object.values(row).join(" ")))
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null
    } while (after !== null)
    const { rows } = await served.store.app.query<{ text: string }>(
      `select concat('0x' || encode(address, 'hex'), ' 0x' || encode(contract_address, 'hex'), ' ', balance) as text
       from app.ft_holdings order by balance`,
    )
    expect(new Set(found)).toEqual(new Set(rows.map(({ text }) => text)))
    expect(found).toHaveLength(rows.length)
    const balances = found.map((text) => BigInt(text.split(" ")[2]!))
    expect(balances).toEqual([...balances].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
  })

  test("are filtered by what an index answers, and by nothing else", async () => {
    const address = `0x${"01".repeat(20)}`
    const { evm_transactions: list } = (
      await ask(`{ evm_transactions(first: 200, where: { from_address: "${address}", block_height_gte: 10, block_height_lt: "30" }) {
        nodes { from_address block_height } } }`)
    ).data
    const { rows } = await served.store.app.query(
      "select 1 from app.evm_transactions where from_address = $1 and block_height >= 10 and block_height < 30",
      [Buffer.from(address.slice(2), "hex")],
    )
    expect(list.nodes.length).toBe(rows.length)
    expect(rows.length).toBeGreaterThan(0)
    for (const refused of [
      `evm_transactions(where: { from_address: "${address}", to_address: "${address}" }) { nodes { nonce } }`,
      "evm_logs(where: { event_index: 1 }) { nodes { data } }",
      "ft_holdings(orderBy: balance) { nodes { balance } }",
      "ft_holdings(where: { balance_gt: 1 }) { nodes { balance } }",
    ])
      expect(await codesOf(`{ ${refused} }`), refused).toEqual(["FILTER_NOT_INDEXED"])
    expect(await codesOf('{ evm_logs(where: { data: "0x" }) { nodes { data } } }')).toEqual([
      "GRAPHQL_VALIDATION_FAILED",
    ])
  })

  test("take cursors of their own only, and none over a rolled-back stretch", async () => {
    const page = (more: string) => `{ blocks(first: 5${more}) { nodes { height } pageInfo { endCursor } } }`
    const cursor = (await ask(page(""))).data.blocks.pageInfo.endCursor
    const low = (await ask("{ blocks(first: 50) { pageInfo { endCursor } } }")).data.blocks.pageInfo.endCursor
    expect(await codesOf(page(`, after: "${cursor}"`))).toEqual([])
    expect(await codesOf(page(`, after: "${cursor}", orderDirection: asc`))).toEqual(["CURSOR_INVALID"])
    expect(await codesOf(`{ evm_logs(after: "${cursor}") { nodes { data } } }`)).toEqual(["CURSOR_INVALID"])
    await served.store.raw.query(
      "insert into raw.rollbacks (id, epoch, removed) values (gen_random_uuid(), 1, '[50,)'); update raw.chain_state set chain_epoch = 1",
    )
    const { errors } = await ask(page(`, after: "${cursor}"`))
    expect(errors[0].extensions).toEqual({ code: "CURSOR_ROLLED_BACK", restart_height: "50" })
    expect(await codesOf(page(`, after: "${low}"`))).toEqual([])
    await served.store.raw.query("delete from raw.rollbacks; update raw.chain_state set chain_epoch = 0")
  })
})

describe("relations", () => {
  test("follow places, folds and keys, from raw to app and back", async () => {
    const { data } =
      await ask(`{ blocks(first: 60, orderDirection: asc) { nodes { height evm_transactions(first: 10, orderDirection: asc) { nodes {
      transaction_id from_address block { height } account_by_from_address { address } } } } } }`)
    const found = data.blocks.nodes.flatMap((block: { height: string; evm_transactions: { nodes: unknown[] } }) =>
      block.evm_transactions.nodes.map((row) => ({ ...(row as object), height: block.height })),
    )
    expect(found.map((row: { transaction_id: string }) => row.transaction_id)).toEqual(
      transactions.map(({ id }) => `0x${id}`),
    )
    for (const row of found) {
      expect(row.block.height).toBe(row.height)
      expect(row.account_by_from_address.address).toBe(row.from_address)
    }
  })

  test("of users' tables are the same", async () => {
    const { data, errors } = await ask(`{ payers(orderBy: paid, orderDirection: desc, first: 1) { nodes { address paid
      account { transaction_count } payments_by_payer(first: 2) { nodes { payer transaction { value } payer_by_payer { paid } } } } } }`)
    expect(errors).toBeUndefined()
    const [top] = data.payers.nodes
    expect(top.account.transaction_count).toMatch(/^\d+$/)
    for (const payment of top.payments_by_payer.nodes)
      expect(payment).toMatchObject({ payer: top.address, payer_by_payer: { paid: top.paid } })
  })

  test("cost one statement for each level, however many rows there are", async () => {
    const statements = async (first: number): Promise<number> => {
      let count = 0
      const graph = watched(() => void count++)
      const result = await run(
        graph,
        `{ evm_transactions(first: ${first}) { nodes { block { hash } account_by_from_address { address }
          evm_logs(first: 3) { nodes { address transaction { nonce } } } } } }`,
      )
      expect(result.errors).toBeUndefined()
      return count
    }
    expect(await statements(40)).toBe(await statements(2))
  })
})

test("every list and every relation reads by an index", async () => {
  const { data } = await ask("{ __schema { types { name fields { name type { kind name ofType { kind name } } } } } }")
  type Field = { name: string; type: { kind: string; name: string | null; ofType: { name: string } | null } }
  const types = new Map<string, Field[]>(
    data.__schema.types.map((one: { name: string; fields: Field[] }) => [one.name, one.fields]),
  )
  const typeOf = ({ type }: Field): string => type.name ?? type.ofType!.name
  const rows = (name: string): string =>
    types
      .get(name)!
      .map((field) => {
        const type = typeOf(field)
        if (type.endsWith("_connection")) return `${field.name}(first: 1) { nodes { __typename } }`
        return types.get(type) ? `${field.name} { __typename }` : field.name
      })
      .join(" ")
  const lists = types.get("Query")!.filter((field) => typeOf(field).endsWith("_connection"))
  expect(lists.length).toBeGreaterThan(20)
  const seen = new Map<string, { store: Store; values: readonly unknown[] }>()
  const graph = watched((sql, { store, values }) => {
    if (/ limit \$/.test(sql)) seen.set(sql, { store, values })
  })
  for (const list of lists) {
    const type = typeOf(list).replace("_connection", "")
    const result = await run(graph, `{ ${list.name}(first: 2) { nodes { ${rows(type)} } } }`)
    expect(result.errors, list.name).toBeUndefined()
  }
  expect(seen.size).toBeGreaterThan(50)
  for (const store of ["raw", "app"] as const) {
    await served.store[store].transaction(async (tx) => {
      await tx.query("set local enable_seqscan = off; set local enable_bitmapscan = off")
      for (const [sql, { values }] of [...seen].filter(([, one]) => one.store === store)) {
        const { rows: lines } = await tx.query<{ "QUERY PLAN": string }>(`explain ${sql}`, values)
        const plan = lines.map((line) => line["QUERY PLAN"]).join("\n")
        expect(plan, sql).toContain("Index")
        expect(plan, sql).not.toContain("Seq Scan")
      }
    })
  }
})

describe("an answer", () => {
  test("shows nothing outside of what every worker that it needs covers, and says so", async () => {
    await served.store.app.query(
      "update app.coverage set heights = '{[0,20),[30,60)}' where worker_type = 'evm_worker'",
    )
    const { data } =
      await ask(`{ _meta { watermark partial gaps { from to } coverage { from to } block { number } requiredWorkers }
      blocks(first: 200) { nodes { height } } evm_transactions(first: 200) { nodes { block_height } } }`)
    await served.store.app.query("update app.coverage set heights = '{[0,60)}' where worker_type = 'evm_worker'")
    expect(data._meta).toEqual({
      ...{ watermark: "19", partial: true, gaps: [{ from: "20", to: "30" }], block: { number: "19" } },
      coverage: [
        { from: "0", to: "20" },
        { from: "30", to: "60" },
      ],
      requiredWorkers: ["raw_ingester", "evm_worker"],
    })
    const heights = [...data.blocks.nodes, ...data.evm_transactions.nodes].map((row) =>
      Number(row.height ?? row.block_height),
    )
    expect(heights.filter((height) => height >= 20 && height < 30)).toEqual([])
    expect(data.blocks.nodes).toHaveLength(50)
  })

  test("is of one snapshot, whatever is committed meanwhile", async () => {
    let changed = false
    const graph = watched(async (sql) => {
      if (changed || !sql.includes("evm_transactions")) return
      changed = true
      await served.store.app.query("update app.coverage set heights = '{[0,5)}' where worker_type = 'evm_worker'")
      await served.store.app.query("update app.evm_transactions set event_count = -1")
    })
    const result = await run(
      graph,
      "{ evm_transactions(first: 200) { nodes { event_count } } _meta { workers { name watermark } } }",
    )
    await served.store.app.query("update app.coverage set heights = '{[0,60)}' where worker_type = 'evm_worker'")
    expect(changed).toBe(true)
    expect(JSON.stringify(result)).not.toContain("-1")
    expect(result.data).toMatchObject({ _meta: { workers: [{ name: "evm_worker", watermark: "59" }] } })
  })

  test("whose table is dropped meanwhile says so, and the next one knows the new schema", async () => {
    const { app } = served.store
    let isDropped = false
    const graph = watched(async (sql) => {
      if (isDropped || !sql.includes('"payers"')) return
      isDropped = true
      await app.query("alter table app.payers rename to away")
    })
    const query = "{ payers { nodes { paid } } }"
    const refused = run(graph, query)
    await expect(refused).rejects.toMatchObject({ code: "SCHEMA_CHANGED", statusCode: 503 })
    const { errors } = await run(graph, query)
    await app.query("alter table app.away rename to payers")
    expect(errors?.[0]?.message).toContain('Cannot query field "payers"')
  })

  test("whose statement takes too long is refused, and each statement has 5 s", async () => {
    const graph = watched(async (sql, { tx }) => {
      if (!sql.includes("evm_logs")) return
      await tx.query("set local statement_timeout = 20")
      await tx.query("select pg_sleep(20)")
    })
    const refused = await run(graph, "{ evm_logs { nodes { data } } }").catch((error: unknown) => error)
    expect(refusalOf(refused)).toMatchObject({ status: 422, code: "QUERY_TOO_LARGE" })
    const limits = await served.chain.readTogether(["app", "raw"], ({ raw, app }) =>
      Promise.all(
        [raw, app].map((tx) => tx.query<{ limit: string }>("select current_setting('statement_timeout') as limit")),
      ),
    )
    expect(limits.map(({ rows }) => rows[0]!.limit)).toEqual(["5s", "5s"])
  })

  test("counts the rows of all pages where a worker does, and of nothing else", async () => {
    const { rows: tokens } = await served.store.app.query<{ contract: string; transfers: string }>(
      "select '0x' || encode(contract_address, 'hex') as contract, count(*) as transfers from app.ft_transfers group by 1",
    )
    const counted = await ask(
      `query ($token: Bytes!) {
      blocks(first: 1) { totalCount }
      ft_transfers(first: 1, where: { contract_address: $token }) { totalCount nodes { amount } }
      absent: ft_transfers(first: 1, where: { contract_address: "0xee" }) { totalCount }
      ft_tokens(first: 20) { totalCount nodes { contract_address ft_transfers(first: 1) { totalCount } } }
      nft_collections { nodes { contract_address nft_ownership(first: 100) { totalCount nodes { token_id } } } }
      later: ft_transfers(first: 1, where: { contract_address: $token, block_height_gte: 5 }) { totalCount }
      past: ft_transfers(first: 1, where: { contract_address: $token }, block: { number: 59 }) { totalCount }
      payments { totalCount } }`,
      { token: tokens[0]!.contract },
    )
    expect(counted.errors).toBeUndefined()
    const { data } = counted
    expect(data.blocks.totalCount).toBe("60")
    expect(data.ft_transfers.totalCount).toBe(tokens[0]!.transfers)
    expect(data.absent.totalCount).toBe("0")
    for (const { contract_address, ft_transfers: list } of data.ft_tokens.nodes)
      expect(list.totalCount).toBe(tokens.find(({ contract }) => contract === contract_address)!.transfers)
    const items = data.nft_collections.nodes.map(
      (row: Record<string, Record<string, unknown>>) => row["nft_ownership"],
    )
    for (const { totalCount, nodes } of items) expect(totalCount).toBe(String(nodes.length))
    expect(items.some(({ nodes }: { nodes: unknown[] }) => nodes.length > 0)).toBe(true)
    expect([data.ft_tokens, data.later, data.past, data.payments].map(({ totalCount }) => totalCount)).toEqual([
      null,
      null,
      null,
      null,
    ])
    // Another worker is behind: the rows are fewer than the counter says.
    await served.store.app.query("update app.coverage set heights = '{[0,50)}' where worker_type = 'evm_worker'")
    const uneven = await ask("{ blocks(first: 1) { totalCount } evm_logs(first: 1) { nodes { data } } }")
    const alone = await ask("{ blocks(first: 1) { totalCount } }")
    await served.store.app.query("update app.coverage set heights = '{[0,60)}' where worker_type = 'evm_worker'")
    expect([uneven.data.blocks.totalCount, alone.data.blocks.totalCount]).toEqual([null, "60"])
  })

  test("of two databases waits until both show the same chain", async () => {
    await served.store.raw.query("update raw.chain_state set chain_epoch = 1")
    let tries = 0
    const graph = watched(async (sql) => {
      if (sql.includes("raw.chain_state") && ++tries === 2)
        await served.store.raw.query("update raw.chain_state set chain_epoch = 0")
    })
    const result = await run(
      graph,
      "{ _meta { watermark } ft_tokens { nodes { minted } } blocks { nodes { height } } }",
    )
    expect(result.errors).toBeUndefined()
    expect(tries).toBe(2)
  })

  test("as of a block has no later rows; state answers for its newest block only", async () => {
    const { data } = await ask(`{ blocks(first: 1, block: { number: 40 }) { nodes { height } }
      ft_transfers(first: 200, block: { number: 40 }) { nodes { block_height transaction { block_height } } }
      ft_tokens(first: 1, block: { number: 59 }) { nodes { minted } } }`)
    expect(data.blocks.nodes).toEqual([{ height: "40" }])
    const heights = data.ft_transfers.nodes.map((row: { block_height: string }) => Number(row.block_height))
    expect(Math.max(...heights)).toBeLessThanOrEqual(40)
    expect(data.ft_tokens.nodes).toHaveLength(1)
    expect(await codesOf("{ ft_tokens(block: { number: 40 }) { nodes { minted } } }")).toEqual(["NOT_AT_BLOCK"])
    expect(await codesOf("{ blocks(block: { number: 60 }) { nodes { height } } }")).toEqual(["NOT_REACHED"])
    // A row of a block keeps to it in its relations.
    const nested = "{ ft_transfers(first: 1, block: { number: 40 }) { nodes { ft_token { minted } } } }"
    expect(await codesOf(nested)).toEqual(["NOT_AT_BLOCK"])
  })

  test("waits for a block that is being derived", async () => {
    await served.store.app.query("update app.coverage set heights = '{[0,50)}' where worker_type = 'evm_worker'")
    const waiting = ask(
      "{ evm_transactions(first: 1, block: { number_gte: 55 }) { nodes { nonce } } _meta { watermark } }",
    )
    await served.store.app.query("update app.coverage set heights = '{[0,60)}' where worker_type = 'evm_worker'")
    expect((await waiting).data._meta.watermark).toBe("59")
  })
})

describe("hostile operations are refused at once", () => {
  const nested = (levels: number): string =>
    `${"block { evm_transactions { nodes { ".repeat(levels)}nonce${" } } }".repeat(levels)}`
  const cases: [string, string, string][] = [
    ["deep nesting", `{ evm_transactions { nodes { ${nested(8)} } } }`, "QUERY_TOO_COMPLEX"],
    [
      "wide nesting",
      "{ blocks(first: 200) { nodes { evm_transactions(first: 200) { nodes { nonce } } } } }",
      "QUERY_TOO_COMPLEX",
    ],
    ["first without end", "{ blocks(first: 2147483647) { nodes { height } } }", "QUERY_TOO_COMPLEX"],
    ["too many rows", "{ blocks(first: 201) { nodes { height } } }", "BAD_REQUEST"],
    ["no rows", "{ blocks(first: -1) { nodes { height } } }", "BAD_REQUEST"],
    [
      "aliases",
      `{ ${Array.from({ length: 60 }, (_, i) => `a${i}: _meta { chain }`).join(" ")} }`,
      "QUERY_TOO_COMPLEX",
    ],
    ["one field again and again", `{ ${"_meta { chain } ".repeat(400)} }`, "QUERY_TOO_COMPLEX"],
    [
      "a fragment in itself",
      "{ ...a } fragment a on Query { _meta { chain } ...b } fragment b on Query { ...a }",
      "QUERY_TOO_COMPLEX",
    ],
    [
      "fragments that double",
      `{ ...f0 } ${Array.from({ length: 40 }, (_, i) => `fragment f${i} on Query { ...f${i + 1} ...f${i + 1} }`).join(" ")}
       fragment f40 on Query { _meta { chain } }`,
      "QUERY_TOO_COMPLEX",
    ],
    ["directives", `{ _meta { chain ${"@include(if: true) ".repeat(60)} } }`, "QUERY_TOO_COMPLEX"],
    // One list of values: nothing else of it is large.
    ["tokens", `{ a(b: [${"1 ".repeat(1_992)}]) }`, "GRAPHQL_PARSE_FAILED"],
    ["fewer tokens", `{ a(b: [${"1 ".repeat(1_991)}]) }`, "GRAPHQL_VALIDATION_FAILED"],
    ["no query", "mutation { drop }", "OPERATION_NOT_SUPPORTED"],
    ["a subscription", "subscription { _meta { chain } }", "OPERATION_NOT_SUPPORTED"],
    ["no GraphQL", "select 1", "GRAPHQL_PARSE_FAILED"],
    ["an unknown field", "{ passwords }", "GRAPHQL_VALIDATION_FAILED"],
    [
      "a schema without end",
      `{ __schema { types { ${"fields { type { ".repeat(5)}name${" } }".repeat(5)} } } }`,
      "GRAPHQL_VALIDATION_FAILED",
    ],
    ["a number beyond its type", '{ block(height: "99999999999999999999999") { hash } }', "BAD_REQUEST"],
    ["a day that is none", '{ daily_stat(day: "2024-02-31") { fees } }', "GRAPHQL_VALIDATION_FAILED"],
    ["half a byte", '{ account(address: "0x123") { fees_paid } }', "GRAPHQL_VALIDATION_FAILED"],
    ["a NUL", '{ tx_tags(where: { tag: "\\u0000" }) { nodes { tag } } }', "BAD_REQUEST"],
    ["a key without its parts", "{ block { hash } }", "BAD_REQUEST"],
    ["a cursor that is none", '{ blocks(after: "AAAA") { nodes { hash } } }', "CURSOR_INVALID"],
  ]
  test.each(cases)("%s", async (_name, query, code) => {
    const answer = await ask(query)
    expect(answer.errors[0].extensions.code, JSON.stringify(answer).slice(0, 300)).toBe(code)
    expect(JSON.stringify(answer)).not.toMatch(/node_modules|at \w+ \(|select /)
  })

  test("long lists of values", async () => {
    const query = "query ($in: [Bytes!]) { evm_logs(where: { address_in: $in }) { nodes { data } } }"
    const values = Array.from({ length: 1_000 }, (_, i) => `0x${i.toString(16).padStart(40, "0")}`)
    expect(await codesOf(query, { in: values })).toEqual(["BAD_REQUEST"])
    expect(await codesOf(query, { in: values.slice(0, 20) })).toEqual([])
    expect(await codesOf(query, { in: [] })).toEqual([])
    expect(await codesOf(query, { in: "0x12" })).toEqual([])
    expect(await codesOf(query, { in: [12] })).toEqual(["BAD_USER_INPUT"])
  })
})

describe("over HTTP", () => {
  const meta = encodeURIComponent("{ _meta { chain } }")
  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${served.url}${path}`, { headers })

  test("GET asks queries, with variables, and nothing else", async () => {
    for (const path of ["/graphql", "/graphql/test"]) {
      const response = await get(`${path}?query=${meta}`)
      expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8")
      expect(await response.json()).toEqual({ data: { _meta: { chain: "test" } } })
    }
    const query = encodeURIComponent("query ($h: BigInt!) { block(height: $h) { height } }")
    const variables = encodeURIComponent(JSON.stringify({ h: 12 }))
    expect(await (await get(`/graphql?query=${query}&variables=${variables}`)).json()).toEqual({
      data: { block: { height: "12" } },
    })
    const mutation = await get(`/graphql?query=${encodeURIComponent("mutation { drop }")}`)
    expect([mutation.status, mutation.headers.get("allow")]).toEqual([405, "POST"])
    expect((await get("/graphql/other?query={a}")).status).toBe(404)
    expect((await get("/graphql")).status).toBe(400)
  })

  test("the status says what happened, to clients that know the newer type", async () => {
    const accept = "application/graphql-response+json"
    const statusOf = async (query: string, type: string) =>
      (await send(JSON.stringify({ query }), { accept: type })).status
    for (const query of ["{", "{ nothing }", `{ ${"_meta { chain } ".repeat(400)} }`])
      expect([await statusOf(query, accept), await statusOf(query, "application/json")]).toEqual([400, 200])
    expect(await statusOf("{ _meta { chain } }", accept)).toBe(200)
    expect((await get(`/graphql?query=${meta}`, { accept: "image/png" })).status).toBe(406)
  })

  test("a request that is none is refused", async () => {
    const batch = await send(JSON.stringify([{ query: "{ _meta { chain } }" }]))
    expect([batch.status, batch.json.errors[0].extensions.code]).toEqual([400, "BAD_REQUEST"])
    for (const body of [
      "{",
      "3",
      '{"query": 3}',
      '{"query": "{a}", "variables": 3}',
      '{"query": "{a}", "operationName": 3}',
    ])
      expect((await send(body)).status, body).toBe(400)
    // A form of another site can send this without asking first.
    expect((await send('{"query": "{ _meta { chain } }"}', { "content-type": "text/plain" })).status).toBe(400)
  })

  test("a browser gets a page that loads nothing from elsewhere", async () => {
    const page = await get("/graphql/test", { accept: "text/html,application/xhtml+xml,*/*;q=0.8" })
    const policy = page.headers.get("content-security-policy")
    expect(policy).toContain("default-src 'none'; script-src 'self'")
    const html = await page.text()
    const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!)
    expect(files).toEqual(["/graphiql/page.css", "/graphiql/page.js"])
    for (const file of files) {
      const response = await get(file)
      expect(response.status).toBe(200)
      expect(await response.text()).not.toMatch(/https?:/)
    }
  })
})

describe("docs/reference/graphql.md", () => {
  const text = readFileSync(new URL("../../../docs/reference/graphql.md", import.meta.url), "utf8")
  const examples = [...text.matchAll(/```graphql\n([\s\S]*?)```(?:\n\n```json\n([\s\S]*?)```)?/g)]

  test.each(examples.map(([, query, variables]) => [query!.trim(), variables] as const))(
    "%s",
    async (query, variables) => {
      const answer = await ask(query, variables ? JSON.parse(variables) : {})
      expect(answer.errors).toBeUndefined()
    },
  )

  test("has the example of a request as it is sent", async () => {
    const body = /-d '(.*)'/.exec(text)![1]!
    expect((await send(body)).json.data.blocks.nodes[0].height).toBe("59")
  })

  test("names every code", () => {
    const named = [...text.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code]) => code)
    expect(named).toEqual(
      expect.arrayContaining(["GRAPHQL_PARSE_FAILED", "QUERY_TOO_COMPLEX", "NOT_AT_BLOCK", "BUSY"]),
    )
  })
})
