import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { defineWorker } from "../families/evm/define-worker.js"
import { evmFamily } from "../families/evm/evm-family.js"
import { migrationsDirectory } from "../postgres/migration-files.js"
import { reservedTables } from "./check-worker.js"
import { amount, bytes, int4, int8, nullable, numeric, text } from "./column.js"
import { eventTable, last, max, stateTable, sum } from "./define-worker.js"
import type { EventTable, StateTable, WorkerDefinition } from "./worker-definition.js"
import { WorkerRegistry } from "./worker-registry.js"

const events = (more: Partial<EventTable> = {}): EventTable =>
  eventTable({
    columns: { block_height: int8, transaction_index: int4, event_index: int4, who: bytes, value: amount },
    key: ["block_height", "transaction_index", "event_index"],
    ...more,
  } as Omit<EventTable, "kind">)

const state = (more: Partial<StateTable> = {}): StateTable =>
  stateTable({
    key: { who: bytes },
    columns: { total: sum(numeric) },
    sources: [{ table: "rows", key: { who: "who" }, set: { total: "value" } }],
    ...more,
  })

const worker = (more: Partial<WorkerDefinition> = {}): WorkerDefinition => ({
  name: "a",
  version: 1,
  tables: { rows: events() },
  extract: () => undefined,
  ...more,
})

const chain = (name: string, ...dependencies: string[]): WorkerDefinition =>
  worker({ name, dependencies, tables: { [`${name}_rows`]: events() } })

const names = (workers: readonly WorkerDefinition[]): string[] => workers.map(({ name }) => name)

function refusal(...definitions: readonly WorkerDefinition[]): string {
  try {
    new WorkerRegistry(definitions)
  } catch (error) {
    expect(error).toMatchObject({ code: "CONFIG_INVALID" })
    return (error as Error).message
  }
  throw new Error("nothing was refused")
}

describe("the order", () => {
  test("has dependencies first, and else is the one given", () => {
    const registry = new WorkerRegistry([chain("z", "m"), chain("b"), chain("m", "k"), chain("k"), chain("a")])
    expect(names(registry.workers)).toEqual(["k", "m", "z", "b", "a"])
  })

  test("dependents are found through others, in order, without the worker itself", () => {
    const registry = new WorkerRegistry([chain("d", "b", "c"), chain("c"), chain("b", "a"), chain("a"), chain("e")])
    expect(names(registry.dependentsOf("a"))).toEqual(["b", "d"])
    expect(registry.dependentsOf("e")).toEqual([])
  })
})

describe("a registry", () => {
  test("knows its tables, and which are partitioned", () => {
    const registry = new WorkerRegistry([
      worker({ tables: { rows: events({ partitionBlocks: 10_000_000 }), more: events() } }),
      worker({ name: "b", dependencies: ["a"], tables: { totals: state() } }),
    ])
    expect(registry.table("nothing")).toBeUndefined()
    expect(registry.table("totals")?.kind).toBe("state")
    expect(registry.partitionedTables()).toEqual([{ schema: "app", table: "rows", blocksPerPartition: 10_000_000 }])
  })
})

describe("the hash", () => {
  const hash = (more: Partial<WorkerDefinition>): string =>
    new WorkerRegistry([chain("x"), chain("y"), worker(more)]).hashOf("a")
  const both = (more: Partial<StateTable> = {}): Partial<WorkerDefinition> => ({
    tables: { rows: events(), totals: state(more) },
  })
  const tracked = both({ track: ["first"] })

  test("is the same for any order of keys, for defaults written out, for another function and for more indexes", () => {
    const { tables } = worker(both())
    expect(hash({ tables: Object.fromEntries(Object.entries(tables).reverse()) })).toBe(hash(both()))
    expect(hash({ ...both(), extract: ({ emit }) => emit.rows })).toBe(hash(both()))
    expect(hash({ dependencies: ["y", "x"] })).toBe(hash({ dependencies: ["x", "y"] }))
    expect(hash({ dependencies: [] })).toBe(hash({}))
    expect(hash({ tables: { rows: events({ indexes: [["who"]] }) } })).toBe(hash({}))
    const position = ["block_height", "transaction_index", "event_index"]
    expect(hash(both({ track: ["first"], position }))).toBe(hash(tracked))
    const source = { table: "rows", key: { who: "who" }, set: { total: "value" }, seen: true, where: {} }
    expect(hash(both({ sources: [source] }))).toBe(hash(both()))
  })

  test("is another for another version, dependency, column, key, partition size, fold or condition", () => {
    const source = { table: "rows", key: { who: "who" }, set: { total: "value" } }
    const counted = { ...source, set: { total: { literal: 1 } } }
    const { columns } = events()
    const all = [
      hash({}),
      hash({ version: 2 }),
      hash({ dependencies: ["x"] }),
      hash({ tables: { rows: events({ columns: { ...columns, value: nullable(amount) } }) } }),
      hash({ tables: { rows: events({ columns: { ...columns, note: text } }) } }),
      hash({ tables: { rows: events({ key: ["block_height"] }) } }),
      hash({ tables: { rows: events({ partitionBlocks: 10 }) } }),
      hash(both()),
      hash(tracked),
      hash(both({ sources: [counted] })),
      hash(both({ columns: { total: sum(int8) }, sources: [counted] })),
      hash(both({ sources: [{ ...source, where: { value: { isNot: 0 } } }] })),
      hash(both({ sources: [{ ...source, seen: false }] })),
    ]
    expect(new Set(all).size).toBe(all.length)
  })
})

describe("refused, with worker, table and what is allowed:", () => {
  const table = (rows: EventTable): WorkerDefinition => worker({ tables: { rows } })
  const fold = (more: Partial<StateTable>): WorkerDefinition =>
    worker({ tables: { rows: events(), totals: state(more) } })
  const named = (name: string): WorkerDefinition => worker({ tables: { [name]: events() } })
  const source = { table: "rows", key: { who: "who" } }
  const { columns } = events()

  test.each<[string, WorkerDefinition[], RegExp]>([
    [
      "two workers of one name",
      [worker(), worker({ tables: { other: events() } })],
      /^worker a is declared twice; allowed: one/,
    ],
    ["an unknown dependency", [chain("b", "c")], /^worker b depends on "c", which is no worker; allowed: b; for raw/],
    [
      "a circle",
      [chain("a", "c"), chain("b", "a"), chain("c", "b")],
      /^worker a depends on itself: a → c → b → a; allowed: /,
    ],
    ["a dependency on itself", [chain("a", "a")], /^worker a depends on itself: a → a; /],
    [
      "a table of two workers",
      [worker(), worker({ name: "b" })],
      /^worker b, table rows: is a table of a already; allowed: one/,
    ],
    ["a worker's bad name", [worker({ name: "A-b" })], /^worker "A-b" is no name; allowed: a lower-case letter/],
    ["a worker's long name", [worker({ name: "a".repeat(42) })], /is no name/],
    ["the raw ingester's name", [worker({ name: "raw_ingester" })], /^worker raw_ingester is the name of the raw/],
    ["a version that is none", [worker({ version: 0.5 })], /^worker a has the version 0.5; allowed: a whole number/],
    ["a worker without tables", [worker({ tables: {} })], /^worker a has no table; /],
    ["a table's bad name", [named('x"; drop')], /^worker a, table x"; drop: is no name for a table; allowed: /],
    [
      "a taken name",
      [named("coverage")],
      /^worker a, table coverage: the name is taken; allowed: any but abis, address_labels, audit_log, /,
    ],
    ["a partition's name", [named("rows_p0")], /^worker a, table rows_p0: is named like a partition; /],
    [
      "a column's bad name",
      [table(events({ columns: { ...columns, Ä: text } }))],
      /^worker a, table rows: "Ä" is no name for a column/,
    ],
    [
      "a column all tables have",
      [table(events({ columns: { ...columns, xmin: text } }))],
      /column xmin is one that every table has/,
    ],
    [
      "a column of no kind",
      [table(events({ columns: { ...columns, x: { kind: "uuid", nullable: false } as never } }))],
      /column x is of no known kind; allowed: bytes, bool/,
    ],
    [
      "a table of no kind",
      [worker({ tables: { rows: { kind: "view" } as never } })],
      /is of no known kind; allowed: eventTable/,
    ],
    [
      "a key that does not start with the height",
      [table(events({ key: ["who", "block_height"] }))],
      /^worker a, table rows: has a key that starts with who; allowed: a key that starts with block_height/,
    ],
    ["an empty key", [table(events({ key: [] }))], /key is empty/],
    [
      "a key of unknown columns",
      [table(events({ key: ["block_height", "index"] }))],
      /^worker a, table rows: key names index, which is no column; allowed: block_height, transaction_index/,
    ],
    [
      "a key that can be null",
      [table(events({ columns: { ...columns, who: nullable(bytes) }, key: ["block_height", "who"] }))],
      /has the nullable column who in its key/,
    ],
    [
      "a height of another type",
      [table(events({ columns: { ...columns, block_height: int4 } }))],
      /block_height that is no int8; allowed: int8/,
    ],
    ["partitions of nothing", [table(events({ partitionBlocks: 0 }))], /has partitions of 0 blocks/],
    [
      "an index of unknown columns",
      [table(events({ indexes: [["whom"]] }))],
      /^worker a, table rows: an index names whom, /,
    ],
    [
      "an event table without extract",
      [{ ...worker(), extract: undefined } as never],
      /^worker a, table rows: never gets a row, as the worker has no extract; /,
    ],
    [
      "reads of no dependency",
      [worker({ reads: ["rows"] })],
      /^worker a reads "rows", which is no event table of a dependency; allowed: none/,
    ],
    [
      "reads of a state table",
      [fold({}), worker({ name: "b", dependencies: ["a"], tables: { x: events() }, reads: ["totals"] })],
      /^worker b reads "totals", .*; allowed: rows$/,
    ],
    [
      "a fold without sources",
      [fold({ sources: [] })],
      /^worker a, table totals: never gets a row, as it has no source/,
    ],
    ["a fold without a key", [fold({ key: {} })], /has no key/],
    [
      "a fold key that can be null",
      [fold({ key: { who: nullable(bytes) } })],
      /table totals, column who: is a key column and cannot be nullable/,
    ],
    [
      "a fold over what is no dependency",
      [worker(), worker({ name: "b", tables: { totals: state() } })],
      /^worker b, table totals: folds "rows", which is no event table/,
    ],
    [
      "a source with another key",
      [fold({ sources: [{ table: "rows", key: { whom: "who" } }] })],
      /^worker a, table totals, column whom: is given by rows, but is no key column$/,
    ],
    [
      "a source of unknown columns",
      [fold({ sources: [{ ...source, set: { total: { negate: "amount" } } }] })],
      /column total: takes amount, which is no column of rows$/,
    ],
    [
      "a condition on an unknown column",
      [fold({ sources: [{ ...source, where: { kind: { is: 1 } } }] })],
      /column kind: is compared by a condition, but is no column of rows$/,
    ],
    [
      "a source that sets what is not there",
      [fold({ sources: [{ ...source, set: { sum: "value" } }] })],
      /column sum: is set by rows, but is no value column$/,
    ],
    [
      "a sum of a width",
      [fold({ columns: { total: sum(amount) } })],
      /column total: is a sum of kind amount: sums are numeric or int8$/,
    ],
    [
      "last() that is not tracked",
      [fold({ columns: { total: last(bytes) } })],
      /column total: is the last of its rows, but the table does not track last$/,
    ],
    [
      "a column in key and value",
      [
        fold({
          columns: { who: last(bytes) },
          track: ["last"],
          sources: [{ ...source, set: { who: "who" } }],
        }),
      ],
      /column who: is both a key and a value column$/,
    ],
    [
      "a column the runtime makes",
      [fold({ columns: { event_rows: sum(int8) }, sources: [source] })],
      /column event_rows: is the name of a column that the runtime creates$/,
    ],
    [
      "a position that is not there",
      [fold({ track: ["last"], position: ["block_height", "batch_index"] })],
      /column batch_index: is part of the position, but is no integer column of rows that is never null$/,
    ],
    [
      "a position that is no number",
      [fold({ track: ["last"], position: ["block_height", "who"] })],
      /column who: is part of the position, but is no integer column of rows/,
    ],
    [
      "a position without the height first",
      [fold({ track: ["last"], position: ["event_index"] })],
      /position that does not start with block_height/,
    ],
    [
      "a tracked end of rows nobody sees",
      [fold({ track: ["last"], sources: [{ ...source, seen: false }] })],
      /none of its sources is seen/,
    ],
    [
      "a position that names a column twice",
      [fold({ track: ["last"], position: ["block_height", "block_height"] })],
      /names a column of its position twice$/,
    ],
    [
      "a key column that a source does not give",
      [fold({ sources: [{ ...source, key: {} }] })],
      /column who: is a key column that rows does not give$/,
    ],
    [
      "a sum that amounts outgrow",
      [fold({ columns: { total: sum(int8) } })],
      /column total: is a sum of kind int8, which cannot add up amount of rows$/,
    ],
    [
      "a literal of another kind",
      [fold({ sources: [{ ...source, set: { total: { literal: "one" } } }] })],
      /column total: is numeric, which "one" is not$/,
    ],
    ["a value that no source sets", [fold({ sources: [source] })], /column total: is set by none of its sources$/],
    [
      "a max of what orders by collation",
      [fold({ columns: { total: max(text) } })],
      /column total: is a max of kind text: only int2, /,
    ],
    [
      "an end of a computed key",
      [
        fold({
          track: ["last"],
          sources: [{ ...source, key: { who: { literal: "0x00" } }, set: { total: "value" } }],
        }),
      ],
      /column who: has to be a plain column of rows, since the table tracks its ends$/,
    ],
    [
      "a last value that two rows could have",
      [
        fold({
          columns: { total: last(amount) },
          track: ["last"],
          position: ["block_height", "event_index"],
        }),
      ],
      /column total: is ambiguous: rows of rows can share a position and differ in transaction_index; add it/,
    ],
    [
      "a state table's index of unknown columns",
      [fold({ indexes: [["first_block_height"]] })],
      /^worker a, table totals: an index names first_block_height, which is no column; allowed: who, total, event_rows$/,
    ],
    [
      "two indexes of one name",
      [table(events({ columns: { ...columns, a: text, b: text, a_b: text }, indexes: [["a", "b"], ["a_b"]] }))],
      /the indexes \(a, b\) and \(a_b\) would both be called rows_a_b/,
    ],
    [
      "an index named like a table",
      [worker({ tables: { rows: events({ indexes: [["who"]] }), rows_who: events() } })],
      /the index \(who\) would be called rows_who, like a table/,
    ],
  ])("%s", (_title, definitions, message) => {
    expect(refusal(...definitions)).toMatch(message)
  })
})

test("a table cannot have a name that the chain's family reserves", () => {
  const taken = worker({ tables: { observed: events() } })
  expect(() => new WorkerRegistry([taken], { reserved: ["observed"] })).toThrow("table observed: the name is taken")
})

test("every table and view of the migrations has a name that is reserved", () => {
  const sql = readFileSync(join(migrationsDirectory("app"), "schema.sql"), "utf8")
  const made = [...sql.matchAll(/^create (?:table|view) app\.(\S+) /gm)].map(([, name]) => name!)
  expect([...made, "schema_migrations"].sort()).toEqual([...reservedTables, ...evmFamily.observedTables].sort())
})

test("a worker declared with the typed functions is taken as it is", () => {
  const typed = defineWorker({
    name: "typed",
    version: 1,
    tables: {
      rows: events(),
      totals: state({ track: ["first", "last"], indexes: [["total"], ["last_block_height"]] }),
    },
    extract: ({ emit }) => void emit,
  })
  expect(new WorkerRegistry([typed]).worker("typed")).toBe(typed)
})
