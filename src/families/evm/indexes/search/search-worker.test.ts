import fc from "fast-check"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { address } from "../../../../../test/support/block-view.js"
import { foldRows } from "../../../../../test/support/memory-fold.js"
import { createTestDatabase, type TestDatabase } from "../../../../../test/support/test-database.js"
import { Database } from "../../../../postgres/database.js"
import { searchNames } from "../../queries/search-names.js"
import { displayText } from "../token-metadata/display-text.js"
import { searchWorker } from "./search-worker.js"

test("a contract is found by what it emitted and by its deployment", () => {
  const [coin, other] = [address(0xc0), address(0xc1)]
  const place = { block_height: 1, transaction_index: 0 }
  expect(
    foldRows(searchWorker.tables.search_subjects, {
      ft_transfers: [{ ...place, event_index: 0, contract_address: coin }],
      nft_transfers: [{ ...place, event_index: 1, batch_index: 0, contract_address: coin }],
      contract_deployments: [{ ...place, event_index: -1, address: other }],
    }),
  ).toEqual([
    { address: coin, ft_transfers: 1, nft_transfers: 1, deployments: 0, event_rows: 2 },
    { address: other, ft_transfers: 0, nft_transfers: 0, deployments: 1, event_rows: 1 },
  ])
})

describe("search terms", () => {
  let place: TestDatabase
  let database: Database
  beforeAll(async () => {
    place = await createTestDatabase()
    database = new Database({ url: place.url, applicationName: "test", maxConnections: 1 })
  })
  afterAll(async () => {
    await database.end()
    await place.drop()
  })
  beforeEach(() => database.query("delete from app.token_metadata; delete from app.address_labels"))

  const write = (at: number, name: string | null, symbol: string | null) =>
    database.query(
      `insert into app.token_metadata (contract_address, status, asked_at_height, block_hash, name, symbol)
       values ($1, 'answered', 1, '\\x00', $2, $3)
       on conflict (contract_address) do update set name = excluded.name, symbol = excluded.symbol`,
      [Buffer.from([at]), name && displayText(name), symbol && displayText(symbol)],
    )
  const terms = async (sql: string): Promise<string[]> =>
    (
      await database.query<{ line: string }>(`select concat_ws(' ', address, field, word, term) as line from ${sql}`)
    ).rows
      .map(({ line }) => line)
      .sort()
  const find = async (text: string) =>
    Object.fromEntries(
      [...(await database.transaction((tx) => searchNames(tx, { text: displayText(text), enough: 20 })))].map(
        ([hex, { match, labelled }]) => [hex, labelled ? `label, ${match}` : match],
      ),
    )

  test("are those of the names that are stored, whatever is written and deleted, and however hostile", async () => {
    const name = fc.option(fc.oneof(fc.string({ maxLength: 300, unit: "binary" }), fc.constant("a b ".repeat(80))))
    const act = fc.record({
      ...{ at: fc.integer({ min: 0, max: 3 }), name, symbol: name, gone: fc.boolean() },
      label: fc.option(fc.string({ minLength: 1, maxLength: 100 })),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 5 }), async (acts) => {
        for (const { at, name, symbol, gone, label } of acts) {
          await database.query("delete from app.address_labels where address = $1 and $2", [Buffer.from([at]), gone])
          if (label !== null)
            await database.query(
              `insert into app.address_labels (address, label, created_by) values ($1, $2, 'x')
               on conflict (address) do update set label = excluded.label`,
              [Buffer.from([at]), label.replaceAll("\0", " ")],
            )
          if (gone)
            await database.query("delete from app.token_metadata where contract_address = $1", [Buffer.from([at])])
          else await write(at, name, symbol)
        }
        const expected = await terms(
          `(select contract_address as address, 'name' as field, t.* from app.token_metadata, app.search_terms_of(name) t
            union all select contract_address, 'symbol', t.* from app.token_metadata, app.search_terms_of(symbol) t
            union all select address, 'label', t.* from app.address_labels, app.search_terms_of(label) t) all_terms`,
        )
        expect(await terms("app.search_terms")).toEqual(expected)
        const { rows } = await database.query(
          "select 1 from app.search_terms group by address, field having count(*) > 9",
        )
        expect(rows).toEqual([])
      }),
      { numRuns: 15 },
    )
  }, 60_000)

  test("are found whole, by their beginning, by that of a word and by a part", async () => {
    await write(1, "USD Coin", "USDC")
    await write(2, "Bridged USD Coin", "USDC.e")
    await write(3, "100%_fun\\", null)
    await write(4, "ＤＯＧＥ", "ﬁ")
    expect(await find("usdc")).toEqual({ "01": "exact", "02": "prefix" })
    expect(await find("USD coin")).toEqual({ "01": "exact", "02": "word" })
    expect(await find("ridge")).toEqual({ "02": "contains" })
    expect(await find("doge")).toEqual({ "04": "exact" })
    expect(await find("FI")).toEqual({ "04": "exact" })
    for (const literal of ["0%_fun", "_fun\\", "%_fun\\"]) expect(await find(literal)).toEqual({ "03": "contains" })
    for (const absent of ["%", "___", "u%c", "\\"]) expect(await find(absent)).toEqual({})
    await database.query("delete from app.token_metadata")
    expect(await find("usdc")).toEqual({})
  })

  test("of labels are found however many contracts call themselves the same, and beside those of names", async () => {
    await database.query(
      `insert into app.search_terms (address, field, word, term)
       select int4send(n), 'name', 0, 'usdc' from generate_series(1, 1000) as n`,
    )
    await write(1, "USDC Fake", null)
    await database.query(
      "insert into app.address_labels (address, label, created_by) values ('\\x01', 'A fake of USDC', 'x'), ('\\x02', 'USDC', 'x')",
    )
    const found = await find("usdc")
    await database.query("delete from app.search_terms where field = 'name'")
    expect(found).toMatchObject({ "02": "label, exact", "01": "prefix" })
    expect(Object.keys(found)).toHaveLength(202)
  })

  test("are never looked at one by one, and without trigrams beginnings are still found", async () => {
    await write(1, "Bridged USD Coin", null)
    // So many that the right index is worth it.
    await database.query(
      `insert into app.search_terms (address, field, word, term)
       select int4send(n), 'name', 0, md5(n::text) from generate_series(1, 20000) as n; analyze app.search_terms`,
    )
    const seen: string[] = []
    await database.transaction(async (tx) => {
      await tx.query("set local enable_seqscan = off")
      await searchNames(
        {
          query: async (sql: string, params: readonly unknown[] = []) => {
            if (/app\.search_terms\s+where/.test(sql)) {
              const { rows } = await tx.query<{ "QUERY PLAN": string }>(`explain ${sql}`, params)
              seen.push(rows.map((row) => row["QUERY PLAN"]).join("\n"))
            }
            // biome-ignore lint/suspicious/noExplicitAny: whatever the statement gives.
            return tx.query<any>(sql, params)
          },
        },
        { text: "ridge", enough: 20 },
      )
    })
    expect(seen).toHaveLength(2)
    for (const index of ["whole", "words", "labels_whole", "labels_words"].map((one) => `search_terms_${one}`))
      expect(seen[0]).toContain(index)
    expect(seen[1]).toContain("search_terms_trigrams")
    expect(seen.join()).not.toContain("Seq Scan")
    await database.query("alter index app.search_terms_trigrams rename to away")
    expect([await find("usd"), await find("ridge")]).toEqual([{ "01": "word" }, {}])
    await database.query("delete from app.search_terms where length(address) = 4")
    await database.query("alter index app.away rename to search_terms_trigrams")
  })
})
