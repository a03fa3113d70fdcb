import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { testLedgers } from "../../test/support/test-ledgers.js"
import { Connection } from "../postgres/connection.js"
import { CopyBuffer } from "../postgres/copy-buffer.js"
import { amount, bool, bytes, date, int2, int4, int8, nullable, numeric, text, timestamp } from "./column.js"
import { eventTable } from "./define-worker.js"
import { EncodedField } from "./encoded-field.js"
import { ensureWorkerTables } from "./postgres/ensure-worker-tables.js"
import { RowSink } from "./row-sink.js"
import type { WorkerDefinition } from "./worker-definition.js"
import { WorkerRegistry } from "./worker-registry.js"

const everything: WorkerDefinition = {
  name: "everything",
  version: 1,
  extract: () => undefined,
  tables: {
    kinds: eventTable({
      columns: {
        block_height: int8,
        b: bytes,
        bo: bool,
        i2: int2,
        i4: int4,
        am: amount,
        nu: numeric,
        te: text,
        ts: timestamp,
        da: date,
        maybe: nullable(bytes),
      },
      key: ["block_height", "i4"],
    }),
    others: eventTable({
      columns: { block_height: int8, event_index: int4 },
      key: ["block_height", "event_index"],
    }),
  },
}

const row = {
  block_height: 7,
  b: "0xAb01",
  bo: true,
  i2: -1,
  i4: 5,
  am: 2n ** 256n - 1n,
  nu: -(10n ** 90n),
  te: "smørrebrød",
  ts: 1_700_000_000_123_456n,
  da: 19_723,
  maybe: null,
}

type Emitting = Record<string, (row: unknown) => void>
const sinkAt = (height: number): { sink: RowSink; emit: Emitting } => {
  const sink = new RowSink(everything)
  sink.startBlock(height)
  return { sink, emit: sink.emit as unknown as Emitting }
}

describe("rows", () => {
  let test_: TestDatabase
  let connection: Connection
  beforeAll(async () => {
    test_ = await createTestDatabase()
    connection = await Connection.open({ url: test_.url, applicationName: "test" })
    await ensureWorkerTables(
      { executor: connection, ledger: testLedgers.app },
      { registry: new WorkerRegistry([everything]) },
    )
  })
  afterAll(async () => {
    await connection.end()
    await test_.drop()
  })
  beforeEach(async () => {
    await connection.query("truncate app.kinds, app.others")
  })

  const stored = async () =>
    (
      await connection.query(
        `select block_height, encode(b, 'hex') as b, bo, i2, i4, am::text as am, nu::text as nu, te,
           to_char(ts at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as ts, da::text as da, encode(maybe, 'hex') as maybe
         from app.kinds order by block_height, i4`,
      )
    ).rows

  test("of every kind arrive as they were given", async () => {
    const { sink, emit } = sinkAt(7)
    emit["kinds"]!(row)
    // Another order of keys, other inputs of the same kinds.
    emit["kinds"]!({
      ...{
        maybe: new Uint8Array([9]),
        da: -1,
        ts: 0n,
        te: "",
        nu: "0x10",
        am: `0x${"0".repeat(70)}ff`,
        i4: 6,
      },
      ...{ i2: 2, bo: false, b: new Uint8Array(), block_height: 7n },
    })
    await sink.flush(connection)
    expect(await stored()).toEqual([
      {
        block_height: "7",
        b: "ab01",
        bo: true,
        i2: -1,
        i4: 5,
        am: (2n ** 256n - 1n).toString(),
        nu: (-(10n ** 90n)).toString(),
        te: "smørrebrød",
        ts: "2023-11-14 22:13:20.123456",
        da: "2024-01-01",
        maybe: null,
      },
      {
        block_height: "7",
        b: "",
        bo: false,
        i2: 2,
        i4: 6,
        am: "255",
        nu: "16",
        te: "",
        ts: "1970-01-01 00:00:00.000000",
        da: "1969-12-31",
        maybe: "09",
      },
    ])
  })

  test("pass on fields of raw rows, null ones too, without reading them", async () => {
    const scratch = new CopyBuffer()
    const field = (write: (buffer: CopyBuffer) => void): EncodedField => {
      write(scratch)
      return new EncodedField(Buffer.from(scratch.take()))
    }
    const { sink, emit } = sinkAt(7)
    emit["kinds"]!({
      ...row,
      b: field((to) => to.bytesHex("0x1234")),
      i2: field((to) => to.int2(3)),
      am: field((to) => to.numericHex("0x64")),
      maybe: field((to) => to.null()),
    })
    await sink.flush(connection)
    expect(await stored()).toMatchObject([{ b: "1234", i2: 3, am: "100", maybe: null }])
  })

  test("are counted by table, over flushes, and the memory is used again after a reset", async () => {
    const { sink, emit } = sinkAt(7)
    emit["kinds"]!(row)
    emit["others"]!({ block_height: 7, event_index: 0 })
    expect(sink.byteLength).toBeGreaterThan(100)
    await sink.flush(connection)
    expect(sink.byteLength).toBe(0)
    sink.startBlock(8)
    emit["others"]!({ block_height: 8, event_index: 0 })
    expect([sink.rowsOf("kinds"), sink.rowsOf("others"), sink.rowsOf("none")]).toEqual([1, 2, 0])
    sink.reset()
    expect([sink.rowsOf("others"), sink.byteLength]).toEqual([0, 0])
    await sink.flush(connection)
    const { rows } = await connection.query("select count(*)::int as count from app.others")
    expect(rows).toEqual([{ count: 1 }])
  })

  test("a refused row fails the flush too, though the extract passed over the error; a reset clears it", async () => {
    const { sink, emit } = sinkAt(7)
    emit["others"]!({ block_height: 7, event_index: 0 })
    expect(() => emit["others"]!({ block_height: 7, event_index: "1" })).toThrow()
    expect(() => emit["others"]!({ block_height: 7, event_index: 2 })).toThrow("event_index")
    await expect(sink.flush(connection)).rejects.toMatchObject({ code: "WORKER_FAILED" })
    sink.reset()
    emit["others"]!({ block_height: 7, event_index: 3 })
    await sink.flush(connection)
    const { rows } = await connection.query("select event_index from app.others")
    expect(rows).toEqual([{ event_index: 3 }])
  })
})

describe("refused with worker, table, column and height", () => {
  const nullField = new EncodedField(new Uint8Array([255, 255, 255, 255]))
  const { te: _, ...withoutText } = row
  test.each<[string, unknown, RegExp]>([
    ["a value that is missing", withoutText, /column te: is missing$/],
    ["undefined", { ...row, maybe: undefined }, /column maybe: is missing$/],
    ["null", { ...row, b: null }, /column b: is null, and the column is not nullable$/],
    ["a raw field that is null", { ...row, i2: nullField }, /column i2: is null, and/],
    [
      "a raw field of another width",
      { ...row, i4: new EncodedField(new Uint8Array(6)) },
      /column i4: is a field of 2 bytes, not of 4$/,
    ],
    ["a column that is not there", { ...row, x: 1, y: 2 }, /table kinds: no column x, y; there are block_height, b, /],
    ["an amount below 0", { ...row, am: -1n }, /column am: -1 is not in 0 … 2\^256 - 1$/],
    ["an amount beyond a uint256", { ...row, am: 2n ** 256n }, /column am: 1157.* is not in 0/],
    ["an amount of 65 digits", { ...row, am: `0x1${"0".repeat(64)}` }, /column am: 0x1000.* is not in 0/],
    ["a number as an amount", { ...row, am: 5 }, /column am: is of type number, not a bigint or "0x…"$/],
    ["a text with a NUL", { ...row, te: "a\0b" }, /column te: has a NUL in it/],
    ["bytes that are no hex", { ...row, b: "0x1g" }, /column b: not hex bytes/],
    ["a fraction", { ...row, i4: 1.5 }, /column i4: 1.5 does not fit a column of type int4$/],
    ["an int2 too large", { ...row, i2: 40_000 }, /column i2: 40000 does not fit/],
    ["a Date", { ...row, ts: new Date(0) }, /column ts: is of type Date, not a bigint \(microseconds since 1970\)$/],
    ["another height", { ...row, block_height: 8 }, /column block_height: is 8 in a row of block 7$/],
    ["no row at all", undefined, /worker everything, table kinds, column block_height: /],
  ])("%s", (_title, given, message) => {
    const { emit } = sinkAt(7)
    let thrown: unknown
    try {
      emit["kinds"]!(given)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ code: "WORKER_FAILED", action: "fail", height: 7 })
    expect((thrown as Error).message).toMatch(/^worker everything, table kinds/)
    expect((thrown as Error).message).toMatch(message)
  })
})
