import { parse } from "graphql"
import { expect, test } from "vitest"
import { VirtualClock } from "../../../test/support/virtual-clock.js"
import type { Queryable } from "../../postgres/transaction.js"
import { GraphOperation, type RowsAsked } from "./graph-operation.js"
import type { GraphTable } from "./graph-table.js"
import { assertLimits, operationLimits } from "./operation-limits.js"
import { OperationSlots } from "./operation-slots.js"

const times = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, i) => text(i)).join(" ")

/** Documents that are as large as is asked in one way, and small in every other. */
const sized: Readonly<Record<string, (size: number) => string>> = {
  fields: (size) => `{ ${times(size, () => "a")} }`,
  levels: (size) => `${"{ a ".repeat(size)}${"}".repeat(size)}`,
  aliases: (size) => `{ ${times(size, (i) => `b${i}: a`)} }`,
  directives: (size) => `{ a ${times(size, () => "@skip(if: false)")} }`,
}
const most: Readonly<Record<string, number>> = {
  fields: operationLimits.fields,
  levels: operationLimits.depth,
  aliases: operationLimits.aliases,
  directives: operationLimits.directives,
}

test.each(Object.keys(sized))(
  "a document may have so many %s and no more, in operations and fragments alike",
  (name) => {
    const document = sized[name]!
    const limit = most[name]!
    const refused = `the document has more than ${limit} ${name}`
    expect(() => assertLimits(parse(document(limit)))).not.toThrow()
    expect(() => assertLimits(parse(document(limit + 1)))).toThrow(refused)
    const part = document(limit + 1)
    expect(() => assertLimits(parse(`{ ...f } fragment f on Query ${part}`))).toThrow(refused)
    expect(() => assertLimits(parse(`{ ... on Query ${part} }`))).toThrow(refused)
    // Two operations of one document are one document.
    const half = document(Math.ceil((limit + 1) / 2))
    if (name !== "levels") expect(() => assertLimits(parse(`query a ${half} query b ${half}`))).toThrow(refused)
  },
)

test("100 operations wait for those that run, in their order, and the next is refused", async () => {
  const slots = new OperationSlots(1)
  const done: number[] = []
  let end: () => void = () => undefined
  const first = slots.run(() => new Promise<void>((resolve) => (end = resolve)))
  const waiting = Array.from({ length: 100 }, (_, i) => slots.run(async () => void done.push(i)))
  await expect(slots.run(async () => undefined)).rejects.toMatchObject({ code: "BUSY", statusCode: 429 })
  expect(done).toEqual([])
  end()
  await Promise.all([first, ...waiting])
  expect(done).toEqual(Array.from({ length: 100 }, (_, i) => i))
  // One that fails gives its slot back too.
  await expect(slots.run(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken")
  expect(await slots.run(async () => "again")).toBe("again")
})

const table: GraphTable = {
  ...{ name: "t", store: "app", worker: "w", workers: ["w"], key: ["id"], indexes: [], height: undefined },
  columns: new Map([["id", { name: "id", kind: "text", nullable: false }]]),
}
const all: RowsAsked = {
  ...{ columns: ["id"], order: "asc", limit: 200, at: undefined, after: undefined },
  filter: { conditions: [], from: 0, to: Number.MAX_SAFE_INTEGER },
  access: { key: [{ column: "t.id", type: "text" }], notNull: undefined },
}

function operation(row: Record<string, unknown>) {
  const clock = new VirtualClock()
  const tx = { query: async () => ({ rows: [{ ...row, "#key_0": "a" }] }) } as unknown as Queryable
  const covered = [{ from: 0, to: 10 }]
  const scope = { ...{ epoch: 0, start: 0, watermark: 9, isKnown: true, isEven: true }, covered, done: covered }
  const running = new GraphOperation({
    ...{ chain: "test", head: 9, cursors: undefined as never, clock, scope, scopes: { app: scope } },
    ...{ snapshots: { raw: tx, app: tx }, workers: { raw: [], app: ["w"] } },
  })
  return { clock, running }
}

test("an answer may have 16 MB, of texts and of bytes as they are written", async () => {
  const mega = 1_024 * 1_024
  for (const value of ["x".repeat(mega), Buffer.alloc(mega / 2)]) {
    const { running } = operation({ id: value })
    for (let i = 0; i < 16; i++) await running.rows(table, all)
    await expect(running.rows(table, all)).rejects.toMatchObject({ code: "QUERY_TOO_LARGE" })
    expect(running.failure).toMatchObject({ error: { code: "QUERY_TOO_LARGE" } })
  }
})

test("an operation may take 10 s, however short its statements are", async () => {
  const { clock, running } = operation({ id: "a" })
  clock.advance(10_000)
  await running.rows(table, all)
  clock.advance(1)
  await expect(running.rows(table, all)).rejects.toMatchObject({ code: "QUERY_TOO_LARGE" })
})
