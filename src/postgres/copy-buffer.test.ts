import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { Connection } from "./connection.js"
import { CopyBuffer } from "./copy-buffer.js"

const columns = ["n", "i2", "i4", "i8", "b", "t", "num", "ts", "bo"]

describe("CopyBuffer", () => {
  let test: TestDatabase
  let connection: Connection
  beforeAll(async () => {
    test = await createTestDatabase({ empty: true })
    connection = await Connection.open({ url: test.url, applicationName: "test" })
    await connection.query(`create table copied (
      n int4, i2 int2, i4 int4, i8 int8, b bytea, t text, num numeric, ts timestamptz, bo bool)`)
  })
  afterAll(async () => {
    await connection.end()
    await test.drop()
  })

  const stored = async (fill: (buffer: CopyBuffer) => void, names: readonly string[], buffer = new CopyBuffer(64)) => {
    await connection.query("truncate copied")
    fill(buffer)
    await connection.copyIn("copied", names, [buffer.take()])
    const list = names.map((name) =>
      name === "ts" ? "to_char(ts at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') ts" : name,
    )
    const { rows } = await connection.query(`select ${list.join(", ")} from copied order by n`)
    return rows
  }

  it("every type is stored exactly, at both ends of its range", async () => {
    const rows = await stored((buffer) => {
      for (const [n, sign] of [
        [0, -1],
        [1, 1],
      ] as const) {
        buffer.row(9)
        buffer.int4(n)
        buffer.int2(sign < 0 ? -32_768 : 32_767)
        buffer.int4(sign < 0 ? -(2 ** 31) : 2 ** 31 - 1)
        buffer.int8(sign * Number.MAX_SAFE_INTEGER)
        buffer.bytes(Buffer.from([0, 255, sign & 255]))
        buffer.text(sign < 0 ? "" : "smørrebrød 🐟 ".repeat(1_000))
        buffer.numericBig(BigInt(sign) * 10n ** 80n)
        buffer.timestamptzUs(sign < 0 ? -1n : 253_402_300_799_999_999n)
        buffer.bool(sign > 0)
      }
      buffer.row(9)
      buffer.int4(2)
      for (let i = 0; i < 8; i++) buffer.null()
    }, columns)
    expect(rows).toEqual([
      {
        n: 0,
        i2: -32_768,
        i4: -(2 ** 31),
        i8: `-${Number.MAX_SAFE_INTEGER}`,
        b: Buffer.from([0, 255, 255]),
        t: "",
        num: `-1${"0".repeat(80)}`,
        ts: "1969-12-31 23:59:59.999999",
        bo: false,
      },
      {
        n: 1,
        i2: 32_767,
        i4: 2 ** 31 - 1,
        i8: String(Number.MAX_SAFE_INTEGER),
        b: Buffer.from([0, 255, 1]),
        t: "smørrebrød 🐟 ".repeat(1_000),
        num: `1${"0".repeat(80)}`,
        ts: "9999-12-31 23:59:59.999999",
        bo: true,
      },
      { n: 2, i2: null, i4: null, i8: null, b: null, t: null, num: null, ts: null, bo: null },
    ])
  })

  it("hex quantities become exact numerics, from zero to beyond 256 bits", async () => {
    const quantities = ["0x0", "0x00", "0x1", "0x270f", "0x2710", "0x5f5e0ff", "0x5f5e100", "0x1fffffffffffff"]
    for (let digits = 1; digits <= 80; digits++) {
      quantities.push(`0x${"f".repeat(digits)}`, `0x1${"0".repeat(digits - 1)}`, `0x${"0".repeat(digits)}a`)
      quantities.push(`0x${(10n ** BigInt(digits)).toString(16)}`, `0x${(10n ** BigInt(digits) - 1n).toString(16)}`)
    }
    let state = 1n
    for (let i = 0; i < 500; i++) {
      state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & ((1n << 256n) - 1n)
      quantities.push(`0x${(state >> BigInt((i * 7) % 256)).toString(16)}`, `0x${state.toString(16).toUpperCase()}`)
    }
    const rows = await stored(
      (buffer) => {
        for (const [n, quantity] of quantities.entries()) {
          buffer.row(2)
          buffer.int4(n)
          buffer.numericHex(quantity)
        }
      },
      ["n", "num"],
    )
    expect(rows.map((row) => row["num"])).toEqual(quantities.map((quantity) => BigInt(quantity).toString()))
  })

  it("hex bytes of every length are stored exactly, by the loop and by the native call", async () => {
    const lengths = [...Array(300).keys(), 65_535, 65_536, 65_537, 200_001]
    const texts = lengths.map((length) =>
      Buffer.from(Array.from({ length }, (_, i) => (i * 37 + length) & 255)).toString("hex"),
    )
    const rows = await stored(
      (buffer) => {
        for (const [n, text] of texts.entries()) {
          buffer.row(2)
          buffer.int4(n)
          buffer.bytesHex(`0x${n % 2 ? text.toUpperCase() : text}`)
        }
      },
      ["n", "b"],
    )
    expect(rows.map((row) => row["b"].toString("hex"))).toEqual(texts)
  })

  it("a value that does not fit or is not hex is rejected, never stored as another value", () => {
    const buffer = new CopyBuffer()
    expect(() => buffer.int2(32_768)).toThrow(RangeError)
    expect(() => buffer.int2(1.5)).toThrow(RangeError)
    expect(() => buffer.int4(2 ** 31)).toThrow(RangeError)
    expect(() => buffer.int8(2 ** 53)).toThrow(RangeError)
    expect(() => buffer.int8Big(2n ** 63n)).toThrow(RangeError)
    const long = "ab".repeat(100)
    for (const bad of [
      "",
      "0x0",
      "0xzz",
      "abcd",
      "0xab İab",
      "0x\u0130\u0130",
      `0x${long}g0`,
      `0x${long}\u0130\u0130`,
    ]) {
      expect(() => buffer.bytesHex(bad), bad).toThrow(RangeError)
    }
    for (const bad of [
      "",
      "0x",
      "12",
      "0xg",
      "0x-1",
      "0x\u0130",
      `0x${"1".repeat(30)}g`,
      `0x${"1".repeat(30)}\u0130`,
    ]) {
      expect(() => buffer.numericHex(bad), bad).toThrow(RangeError)
    }
  })

  it("growing in the middle of any value changes nothing", () => {
    const writes: readonly ((buffer: CopyBuffer) => void)[] = [
      (buffer) => buffer.row(3),
      (buffer) => buffer.null(),
      (buffer) => buffer.bool(true),
      (buffer) => buffer.int2(-2),
      (buffer) => buffer.int4(-4),
      (buffer) => buffer.int8(-8),
      (buffer) => buffer.int8Big(-(2n ** 62n)),
      (buffer) => buffer.bytes(Buffer.from("bytes")),
      (buffer) => buffer.bytesHex("0xcafe"),
      (buffer) => buffer.bytesHex(`0x${"ab".repeat(200)}`),
      (buffer) => buffer.text("text"),
      (buffer) => buffer.text("long ".repeat(1_000)),
      (buffer) => buffer.numericHex(`0x${"f".repeat(64)}`),
      (buffer) => buffer.numericBig(-5n),
      (buffer) => buffer.timestamptzUs(1n),
      (buffer) => buffer.timestamptzUs(2n ** 60n),
      (buffer) => buffer.rawField(Buffer.from([0, 0, 0, 0])),
    ]
    for (const [index, write] of writes.entries()) {
      const roomy = new CopyBuffer(1 << 16)
      write(roomy)
      const expected = roomy.take()
      for (let filled = 40; filled <= 64; filled++) {
        const tight = new CopyBuffer(64)
        tight.rawField(Buffer.alloc(filled))
        write(tight)
        expect(tight.take().subarray(filled).equals(expected), `write ${index} after ${filled} bytes`).toBe(true)
      }
    }
  })

  it("rows and bytes are counted, and a numeric is sent without trailing zeros", () => {
    const buffer = new CopyBuffer()
    buffer.row(1)
    buffer.numericHex("0x2710")
    expect([buffer.rows, buffer.byteLength]).toEqual([1, 2 + 4 + 8 + 2])
    buffer.reset()
    expect([buffer.rows, buffer.byteLength, buffer.take().length]).toEqual([0, 0, 0])
  })

  it("taken bytes belong to the caller: later writes do not change them", () => {
    const buffer = new CopyBuffer(64)
    buffer.row(1)
    buffer.int4(7)
    const taken = buffer.take()
    const copy = Buffer.from(taken)
    for (let i = 0; i < 100; i++) {
      buffer.row(1)
      buffer.int4(-1)
    }
    expect(taken).toEqual(copy)
    expect(buffer.take().buffer).not.toBe(taken.buffer)
  })

  it("the bytes of several encoders go into one copy", async () => {
    await connection.query("truncate copied")
    const buffers = [1, 2, 3].map((n) => {
      const buffer = new CopyBuffer()
      buffer.row(2)
      buffer.int4(n)
      buffer.rawField(Buffer.from([0, 0, 0, 2, 0xca, 0xfe]))
      return buffer.take()
    })
    expect(await connection.copyIn("public.copied", ["n", "b"], buffers)).toBe(3)
    expect(await connection.copyIn("copied", ["n", "b"], [])).toBe(0)
    const { rows } = await connection.query("select n, encode(b, 'hex') b from copied order by n")
    expect(rows).toEqual([1, 2, 3].map((n) => ({ n, b: "cafe" })))
  })
})
