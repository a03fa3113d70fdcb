import pg from "pg"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { createChain } from "../../test/chain/synthetic-chain.js"
import { heightNamedBy, type RpcCall } from "../../test/support/hostile/rpc-shapes.js"
import { openRawStore, type RawStore } from "../../test/support/raw-store.js"
import { startTamperingNode, type TamperingNode } from "../../test/support/tampering-node.js"
import { checkRaw } from "./check-raw.js"
import { formatReport } from "./format-report.js"
import { rawTables, uncomparedRawColumns } from "./raw-table-list.js"
import type { ColumnType } from "./table.js"

type Fields = Record<string, unknown>

const to = 13
const chain = createChain({ blocks: to - 1, transactionsPerBlock: 3, logsPerBlock: 6, holders: 40 })
/** Its first two transactions created contracts. The first is an old one; what is said of the second is said oddly. */
const oddHeight = 5

let node: TamperingNode
let store: RawStore
let client: pg.Client

beforeAll(async () => {
  node = await startTamperingNode(() => ({ chain, head: to - 1 }))
  node.tamper = odd
  store = await openRawStore()
  await store.ingest(store.source(node.url), { from: 0, to })
  client = new pg.Client({ connectionString: store.url })
  await client.connect()
})
afterEach(() => {
  node.tamper = odd
})
afterAll(async () => {
  await client.end()
  await store.close()
  await node.stop()
})

function odd(call: RpcCall, result: unknown): unknown {
  if (heightNamedBy(call) !== oddHeight) return undefined
  const old = { type: "0x0", to: null }
  const strange = { "~odd": { b: [1], a: "\t\\N" }, l1Fee: "0x7" }
  const spelled = (hex: unknown) => `0x0${String(hex).slice(2).toUpperCase()}`
  if (Array.isArray(result)) {
    const [first, second, ...others] = result as Fields[]
    const { from: _, effectiveGasPrice: __, ...silent } = second!
    const contractAddress = `0x${"c0".repeat(20)}`
    return [
      { ...first, ...old, status: "0x0", contractAddress },
      { ...silent, ...strange, to: null, contractAddress },
      ...others,
    ]
  }
  const block = result as Fields & { transactions: Fields[] }
  const [first, second, ...others] = block.transactions
  const { accessList: _, maxFeePerGas: __, maxPriorityFeePerGas: ___, yParity: ____, ...fewer } = first!
  const { chainId: _____, ...unbound } = second!
  const transactions = [
    { ...fewer, ...old, v: "0xa96" },
    { ...unbound, ...strange, to: null, nonce: spelled(second!["nonce"]) },
    ...others,
  ]
  return {
    ...block,
    ...strange,
    miner: String(block["miner"]).toUpperCase().replace("0X", "0x"),
    transactions,
  }
}

const check = (options: Partial<Parameters<typeof checkRaw>[0]> = {}) =>
  checkRaw({ rawUrl: store.url, rpcUrl: node.url, to, ...options })
const wrongIn = async (options: Partial<Parameters<typeof checkRaw>[0]> = {}) => {
  const report = await check(options)
  const wrong = report.tables.filter(({ differenceCount }) => differenceCount > 0)
  expect(report.ok).toBe(wrong.length === 0)
  if (!report.ok) expect(formatReport(report)).toContain("NOT RIGHT")
  return wrong.map(({ table, differences }) => ({ table, differences }))
}

describe("the checker of raw", () => {
  test("derives from a node's answers the rows that the product stored, in pieces of any size", async () => {
    const report = await check()
    expect(report.tables.flatMap(({ differences }) => differences)).toEqual([])
    expect(report).toMatchObject({ ok: true, blocks: to })
    const rows = Object.fromEntries(report.tables.map(({ table, rowsFound }) => [table, rowsFound]))
    expect(rows).toMatchObject({
      blocks: to,
      transactions: 3 * (to - 1),
      tx_lookup: 3 * (to - 1),
      block_lookup: to,
    })
    expect(rows["events"]).toBeGreaterThan(4 * to)
    const small = await check({ blocksPerPiece: 2 })
    expect(small.tables).toEqual(report.tables)
  })

  const damage: Record<ColumnType, (column: string) => string> = {
    bytes: (column) => `coalesce(${column}, '') || '\\x0b'::bytea`,
    integer: (column) => `coalesce(${column}, 7) + 1000`,
    timestamp: (column) => `${column} + interval '1 microsecond'`,
    text: () => "'1'",
    boolean: (column) => `not ${column}`,
    day: (column) => `${column} + 1`,
  }
  const planted = Object.values(rawTables).flatMap(({ name, key, columns }) =>
    columns.map(({ name: column, type }) => ({ table: name, column, type, isKey: key.includes(column) })),
  )
  test.each(planted)("notices damage in $table, $column", async ({ table, column, type, isKey }) => {
    const quoted = `"${column}"`
    const height = table === "blocks" || table === "block_lookup" ? "height" : "block_height"
    // Flow's are null in every row; of the others one that holds something is taken.
    const { rows } = await client.query<{ at: string; part: string; old: string | null; type: string }>(
      `select ctid::text as at, tableoid::regclass::text as part, ${quoted}::text as old, pg_typeof(${quoted})::text as type
       from raw.${table} where ${height} between 3 and 9 order by ${quoted} is null, ${height} limit 1`,
    )
    const { at, part, old, type: sqlType } = rows[0]!
    const changed = await client.query<{ at: string }>(
      `update ${part} set ${quoted} = (${damage[type](quoted)})::text::${sqlType} where ctid = $1::tid
       returning ctid::text as at`,
      [at],
    )
    const wrong = await wrongIn()
    // What a block's rows repeat is kept with the block: without it they are not whole either.
    const reaches = table === "blocks" && (isKey || column === "extra")
    expect(wrong.map((one) => one.table)).toEqual(reaches ? ["blocks", "events"] : [table])
    const { differences } = wrong.find((one) => one.table === table)!
    if (isKey) expect(differences.map(({ kind }) => kind).sort()).toEqual(["extra row", "missing row"])
    else expect(differences).toMatchObject([{ kind: "wrong value", column }])
    await client.query(`update ${part} set ${quoted} = $2::text::${sqlType} where ctid = $1::tid`, [
      changed.rows[0]!.at,
      old,
    ])
    expect(await wrongIn()).toEqual([])
  })

  test("compares every column but those it gives a reason for", async () => {
    const { rows } = await client.query<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns
       where table_schema = 'raw' and table_name = any ($1)`,
      [Object.values(rawTables).map(({ name }) => name)],
    )
    const excused = Object.entries(uncomparedRawColumns).flatMap(([table, reasons]) =>
      Object.keys(reasons).map((column) => `${table}.${column}`),
    )
    expect(excused).toEqual(["transactions.events_sample"])
    const compared = planted.map(({ table, column }) => `${table}.${column}`)
    expect([...compared, ...excused].sort()).toEqual(rows.map(({ name }) => name).sort())
  })

  /** Does, looks, and takes back. */
  async function whileDone(sql: string, back: string): Promise<Awaited<ReturnType<typeof wrongIn>>> {
    await client.query(sql)
    try {
      return await wrongIn()
    } finally {
      await client.query(back)
    }
  }

  test.each(["transactions", "events", "tx_lookup"])(
    "names rows of %s that are missing, and those that are there where no block is",
    async (table) => {
      await client.query(`create table kept as select * from raw.${table} where block_height = 4`)
      const missing = await whileDone(
        `delete from raw.${table} where block_height = 4`,
        `insert into raw.${table} select * from kept`,
      )
      await client.query("update kept set block_height = 99")
      const extra = await whileDone(
        `insert into raw.${table} select * from kept`,
        `delete from raw.${table} where block_height = 99`,
      )
      await client.query("drop table kept")
      expect(missing.map((one) => one.table)).toEqual([table])
      expect(new Set(missing[0]!.differences.map(({ kind }) => kind))).toEqual(new Set(["missing row"]))
      expect(extra.map((one) => one.table)).toEqual([table])
      expect(new Set(extra[0]!.differences.map(({ kind }) => kind))).toEqual(new Set(["extra row"]))
    },
  )

  test("names a field that is kept in no column and was dropped, changed or made up", async () => {
    const odd = `block_height = ${oddHeight} and transaction_index = 1`
    const { rows } = await client.query<{ extra: string }>(
      `select convert_from(extra, 'UTF8') as extra from raw.transactions where ${odd}`,
    )
    const { tx, receipt } = JSON.parse(rows[0]!.extra) as { tx: Fields; receipt: Fields }
    const { l1Fee, ...fewer } = receipt
    expect(l1Fee).toBe("0x7")
    const variants: [Fields, Fields][] = [
      [
        { tx, receipt: fewer },
        { expected: 'l1Fee: "0x7"', found: "l1Fee: nothing" },
      ],
      [
        { tx, receipt: { ...receipt, l1Fee: "0x8" } },
        { expected: 'l1Fee: "0x7"', found: 'l1Fee: "0x8"' },
      ],
      [
        { tx: { ...tx, more: 1 }, receipt },
        { expected: "more: nothing", found: "more: 1" },
      ],
      [
        { tx: { ...tx, nonce: "0x5" }, receipt },
        { expected: 'nonce: "0x05"', found: 'nonce: "0x5"' },
      ],
      [{ tx, receipt, log: {} }, { found: "log" }],
    ]
    for (const [extra, difference] of variants) {
      await client.query(`update raw.transactions set extra = convert_to($1, 'UTF8') where ${odd}`, [
        JSON.stringify(extra),
      ])
      expect(await wrongIn()).toMatchObject([
        { table: "transactions", differences: [{ kind: "wrong value", column: "extra", ...difference }] },
      ])
      expect(await wrongIn({ withoutExtra: true })).toEqual([])
    }
    await client.query(`update raw.transactions set extra = convert_to($1, 'UTF8') where ${odd}`, [rows[0]!.extra])
    expect(await wrongIn()).toEqual([])
  })

  test("says that blocks are missing, or too many, where the node has more or fewer", async () => {
    const [first] = await wrongIn({ to: to - 1 })
    expect(first).toMatchObject({
      table: "blocks",
      differences: [{ kind: "extra row", key: `height=${to - 1}` }],
    })
    await expect(check({ to: to + 1 })).rejects.toThrow(`the node has no block ${to}`)
    expect((await check({ to: 0 })).ok).toBe(false)
  })

  test("takes no answer for one that it is not", async () => {
    node.tamper = (call, result) =>
      call.method === "eth_getBlockReceipts" && heightNamedBy(call) === 7 ? (result as unknown[]).slice(1) : undefined
    await expect(check()).rejects.toThrow("block 7 has 3 transactions and 2 receipts")
    node.tamper = (call, result) =>
      call.method === "eth_getBlockReceipts" && heightNamedBy(call) === 7
        ? (result as Fields[]).map((receipt) => ({ ...receipt, blockHash: "0x00" }))
        : undefined
    await expect(check()).rejects.toThrow("the node has no receipt of transaction")
  })
})
