import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import pg from "pg"
import { keccak256, stringToHex } from "viem"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { builtInWorkers } from "../../src/families/evm/indexes/built-in-workers.js"
import { insertRawRows } from "../../test/support/raw-rows.js"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { appTablesDdl } from "./app-tables.js"
import { type CheckOptions, checkDerived } from "./check-derived.js"
import { formatReport } from "./format-report.js"
import type { RawTransaction } from "./read-raw.js"
import { allTables, allWorkers } from "./table-list.js"
import { contractCreation, largeInput, names, times, trickyChain, trickyRows } from "./tricky-chain.js"
import { touchedContracts } from "./tx-contracts.js"

const chain = trickyChain(keccak256(stringToHex(contractCreation)).slice(2))
const sha256 = (hex: string): string => createHash("sha256").update(Buffer.from(hex, "hex")).digest("hex")

const hashes: Record<string, string> = { K: keccak256("0x6001").slice(2), I: sha256(largeInput) }

function cell(text: string): string | null {
  const bytes = names[text] ?? hashes[text]
  if (bytes !== undefined) return `\\x${bytes}`
  return text === "-" ? null : (times[text] ?? text)
}

const bytesOf = (hex: string | null | undefined): string | null => (hex == null ? null : `\\x${hex}`)

function logRows(): (string | number | null)[][] {
  return chain.flatMap((block) => {
    let index = 0
    return block.transactions.flatMap((transaction, transactionIndex) =>
      transaction.logs.map(({ address, topics, data }) => {
        const eventIndex = index++
        const large = data!.length > 2 * 8192
        return [
          ...[block.height, transactionIndex, eventIndex, bytesOf(transaction.id), block.timestamp],
          ...[bytesOf(address), ...[0, 1, 2, 3].map((i) => bytesOf(topics[i]))],
          ...(large
            ? [null, bytesOf(sha256(data!)), `raw.events/${block.height}/${transactionIndex}/${eventIndex}`]
            : [bytesOf(data), null, null]),
        ]
      }),
    )
  })
}

let filled: TestDatabase
let database: TestDatabase
let client: pg.Client

beforeAll(async () => {
  filled = await createTestDatabase()
  await insertRawRows(filled.url, chain)
  client = new pg.Client({ connectionString: filled.url })
  await client.connect()
  await client.query(appTablesDdl)
  for (const [table, text] of Object.entries(trickyRows)) {
    const rows = text.trim().split("\n")
    await insert(
      table,
      rows.map((row) => row.trim().split(" ").map(cell)),
    )
  }
  await insert("evm_logs", logRows())
  await client.end()
})
afterAll(() => filled.drop())

beforeEach(async () => {
  database = await createTestDatabase({ like: filled })
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})
afterEach(async () => {
  await client.end()
  await database.drop()
})

async function insert(table: string, rows: readonly (readonly (string | number | null)[])[]): Promise<void> {
  for (const row of rows) {
    const places = row.map((_, i) => `$${i + 1}`).join(", ")
    await client.query(`insert into app.${table} values (${places})`, [...row])
  }
}

const everything = () => undefined
const check = (options: Partial<CheckOptions> = { coverage: everything }) =>
  checkDerived({ rawUrl: database.url, appUrl: database.url, ...options })
const cover = (worker: string, heights: string) =>
  client.query("insert into app.coverage (worker_type, heights) values ($1, $2::text::int8multirange)", [
    worker,
    heights,
  ])
const coverAll = async (heights: string) => {
  for (const worker of allWorkers) await cover(worker, heights)
}

describe("the checker", () => {
  test("arrives at the rows worked out by hand", async () => {
    const report = await check()
    expect(report.tables.flatMap(({ table, differences }) => differences.map((one) => ({ table, ...one })))).toEqual(
      [],
    )
    expect(report).toMatchObject({ ok: true, blocks: 3, withoutRaw: [] })
    const wanted = Object.fromEntries(
      Object.entries(trickyRows).map(([table, text]) => [table, text.trim().split("\n").length]),
    )
    expect(Object.fromEntries(report.tables.map(({ table, rowsExpected }) => [table, rowsExpected]))).toEqual({
      ...wanted,
      evm_logs: 24,
    })
  })

  test("sums a table up the same way whatever the size of its pieces", async () => {
    const digests = async (blocksPerPiece: number) =>
      (await check({ coverage: everything, blocksPerPiece })).tables.map(({ foundDigest, expectedDigest }) => [
        foundDigest,
        expectedDigest,
      ])
    const whole = await digests(100)
    expect(await digests(1)).toEqual(whole)
    for (const [found, expected] of whole) expect(found).toBe(expected)
    expect(new Set(whole.map(([found]) => found)).size).toBe(allTables.length)
  })

  const { A, B, N, T } = names
  const planted = [
    {
      title: "a missing event row",
      sql: "delete from app.ft_transfers where block_height = 11 and event_index = 5",
      difference: { kind: "missing row", key: "block_height=11 transaction_index=0 event_index=5" },
    },
    {
      title: "a missing state row",
      sql: "delete from app.daily_stats where day = '2024-02-28'",
      difference: { kind: "missing row", key: "day=2024-02-28" },
    },
    {
      title: "a row above the last block",
      sql: "insert into app.tx_tags values (13, 0, 'SWAP', '\\x00', now())",
      difference: { kind: "extra row", key: "block_height=13 transaction_index=0 tag=SWAP" },
    },
    {
      title: "a row below the first block",
      sql: "insert into app.tx_tags values (3, 0, 'SWAP', '\\x00', now())",
      difference: { kind: "extra row", key: "block_height=3 transaction_index=0 tag=SWAP" },
    },
    {
      title: "the same row twice",
      sql: "insert into app.tx_contracts select * from app.tx_contracts where block_height = 12",
      difference: {
        kind: "extra row",
        key: `block_height=12 transaction_index=0 contract_address=${names["F"]}`,
      },
    },
    {
      title: "an extra state row",
      sql: `insert into app.ft_holdings values ('\\x${T}', '\\x${T}', 0, 0, 0, 0)`,
      difference: { kind: "extra row", key: `address=${T} contract_address=${T}` },
    },
    {
      title: "an amount that is off by one",
      sql: `update app.ft_holdings set balance = balance + 1 where address = '\\x${A}' and contract_address = '\\x${T}'`,
      difference: {
        ...{ kind: "wrong value", key: `address=${A} contract_address=${T}`, column: "balance" },
        ...{ expected: String(2n ** 256n - 8n), found: String(2n ** 256n - 7n) },
      },
    },
    {
      title: "a wrong last position",
      sql: `update app.contracts set last_event_index = 18 where contract_address = '\\x${N}'`,
      difference: {
        ...{ kind: "wrong value", key: `contract_address=${N}`, column: "last_event_index" },
        ...{ expected: "19", found: "18" },
      },
    },
    {
      title: "a wrong last value",
      sql: `update app.nft_ownership set owner = '\\x${B}'`,
      difference: {
        ...{ kind: "wrong value", key: `contract_address=${N} token_id=1`, column: "owner" },
        ...{ expected: names["Z"], found: B },
      },
    },
    {
      title: "a time that is off by a microsecond",
      sql: `update app.tx_metrics set timestamp = timestamp + interval '1 microsecond'
        where block_height = 10 and transaction_index = 0`,
      difference: { column: "timestamp", expected: "1709164799000001", found: "1709164799000002" },
    },
    {
      title: "a null that should be empty",
      sql: "update app.evm_transactions set input = null where block_height = 11 and transaction_index = 1",
      difference: { column: "input", expected: "", found: "null" },
    },
    {
      title: "a column nobody vouches for",
      sql: "alter table app.tx_tags add column note text",
      difference: { kind: "unchecked column", column: "note" },
    },
    {
      title: "a column that is not there",
      sql: "alter table app.nft_balances drop column event_rows",
      difference: { kind: "missing column", column: "event_rows" },
    },
    {
      title: "a table that is not there",
      sql: "drop table app.smart_contracts",
      difference: { kind: "missing table", key: "app.smart_contracts" },
    },
  ]
  test.each(planted)("finds and names $title, and nothing else", async ({ sql, difference }) => {
    const [, table] = /app\.(\w+)/.exec(sql)!
    await client.query(sql)
    const report = await check()
    expect(report.ok).toBe(false)
    const wrong = report.tables.filter(({ differenceCount }) => differenceCount > 0)
    expect(wrong.map((one) => one.table)).toEqual([table])
    expect(wrong[0]!.differences[0]).toMatchObject(difference)
    expect(formatReport(report)).toContain("NOT RIGHT")
  })

  test("counts all differences and shows the first ten", async () => {
    await client.query("delete from app.address_transactions")
    const { differences, differenceCount } = (await check()).tables.find(
      ({ table }) => table === "address_transactions",
    )!
    expect(differenceCount).toBe(26)
    expect(differences).toHaveLength(10)
  })
})

describe("coverage", () => {
  test("is read from app.coverage, and a worker without any has no rows", async () => {
    await coverAll("{[10,13)}")
    expect((await check({})).ok).toBe(true)
    await client.query("delete from app.coverage where worker_type = 'stats_worker'")
    const report = await check({})
    const wrong = report.tables.filter(({ differenceCount }) => differenceCount > 0)
    expect(wrong).toMatchObject([{ table: "daily_stats", rowsExpected: 0, rowsFound: 2 }])
  })

  test("decides at which heights a worker's state is the sum", async () => {
    await coverAll("{[10,11),[12,13)}")
    await client.query("delete from app.nft_ownership")
    const { tables, ok } = await check({})
    expect(ok).toBe(false)
    expect(tables.find(({ table }) => table === "nft_ownership")!.differenceCount).toBe(0)
    const tokens = tables.find(({ table }) => table === "ft_tokens")!
    expect(tokens.rowsExpected).toBe(1)
    expect(tokens.differences).toContainEqual({
      ...{ kind: "wrong value", key: `contract_address=${names["T"]}`, column: "transfer_count" },
      ...{ expected: "1", found: "4" },
    })
  })

  test("of an upstream that gave a height up leaves its dependents nothing to read there", async () => {
    const { tables } = await check({
      coverage: everything,
      skipped: (worker) => (worker === "token_worker" ? [{ from: 11, to: 12 }] : []),
    })
    const expected = Object.fromEntries(tables.map(({ table, rowsExpected }) => [table, rowsExpected]))
    expect(expected).toMatchObject({ ft_transfers: 1, ft_holdings: 1, nft_balances: 0, metadata_subjects: 1 })
    // What comes from raw stays: tags by logs, parties of transfers as the meta worker decodes them.
    expect(expected).toMatchObject({ tx_tags: 11, address_transactions: 26 })
  })

  test("of nothing at all proves nothing", async () => {
    for (const { name } of allTables) await client.query(`delete from app.${name}`)
    const report = await check({})
    expect(report.ok).toBe(false)
    expect(formatReport(report)).toContain("nothing was checked")
  })

  test("of heights that raw does not have is reported", async () => {
    await coverAll("{[10,15)}")
    const report = await check({})
    expect(report.ok).toBe(false)
    expect(report.withoutRaw).toContainEqual({ worker: "evm_worker", heights: [{ from: 13, to: 15 }] })
  })
})

test("a creation that failed touches no contract", () => {
  const created = { to: null, contractAddress: names["T"]!, input: "6001", logs: [] as never[] }
  const touched = (status: number | null) =>
    touchedContracts({ ...created, status } as unknown as RawTransaction).map(({ address }) => address)
  expect(touched(0)).toEqual([])
  expect(touched(1)).toEqual([names["T"]])
  expect(touched(null)).toEqual([names["T"]])
})

test("the checker shares no code with what it checks, nor does anything it imports", () => {
  const wrong: string[] = []
  const followed = new Set<string>()
  const follow = (path: string): void => {
    if (followed.has(path)) return
    followed.add(path)
    const text = readFileSync(path, "utf8")
    if (/"[^"\n]*\/src\/[^"\n]*"/.test(text)) wrong.push(relative(import.meta.dirname, path))
    // A type is gone when it runs.
    const run = text.replace(/\b(import|export) type [^"]*"[^"\n]*"/g, "")
    for (const [, target] of run.matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"\n]+)\.js"/g))
      follow(resolve(dirname(path), `${target}.ts`))
  }
  const files = readdirSync(import.meta.dirname).filter((name) => !name.endsWith(".test.ts"))
  for (const name of files) follow(join(import.meta.dirname, name))
  expect(wrong).toEqual([])
})

test("every table that a built-in worker derives is on the checker's list, with its worker", () => {
  const derived = builtInWorkers.flatMap(({ name, tables }) =>
    Object.keys(tables).map((table) => `${table} of ${name}`),
  )
  expect(allTables.map(({ name, worker }) => `${name} of ${worker}`).sort()).toEqual(derived.sort())
})
