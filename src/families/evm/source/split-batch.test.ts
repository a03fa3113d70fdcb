import { describe, expect, test } from "vitest"
import { RpcReply } from "./json-rpc-reply.js"
import { splitBatch } from "./split-batch.js"

const call = { method: "m", params: [] }
function reply(text: string, count: number): RpcReply {
  const body = Buffer.from(text)
  const asked = Array.from({ length: count }, (_, at) => at)
  return new RpcReply("node", new Array(count).fill(call), [{ body, asked, entries: splitBatch(body, count) }])
}
const entry = (id: number, result: unknown): string => JSON.stringify({ jsonrpc: "2.0", id, result })

describe("a batch's answer, cut into its entries", () => {
  test("has one entry for each call, as they came", () => {
    const body = Buffer.from(`[${entry(1, { a: [{}] })},${entry(2, null)},${entry(3, "x")}]`)
    expect(splitBatch(body, 3)?.map((part) => JSON.parse(part.toString()).result)).toEqual([{ a: [{}] }, null, "x"])
  })

  test("is refused when the count is off, or the form is another", () => {
    const text = `[${entry(1, 1)},${entry(2, 2)}]`
    for (const [body, count] of [
      [text, 1],
      [text, 3],
      [entry(1, 1), 1],
      ["[]", 1],
      ["", 1],
      ["<html>", 2],
      [text.slice(0, -2), 2],
    ] as const) {
      expect(splitBatch(Buffer.from(body), count)).toBeUndefined()
    }
  })

  test("answers one call without reading the others", () => {
    const damaged = `[${entry(1, "one")},{"jsonrpc":"2.0","id":2,"result":oops}]`
    const answers = reply(damaged, 2)
    expect(answers.answer(0)).toEqual({ value: "one", error: null })
    expect(() => answers.answer(1)).toThrow("is no JSON")
  })

  test.each([
    ["entries in another order", `[${entry(2, "two")},${entry(1, "one")}]`],
    ["spaces between them", `[ ${entry(1, "one")} , ${entry(2, "two")} ]`],
    ["a line break at the end", `[${entry(1, "one")},${entry(2, "two")}]\n`],
    ["the id first", `[{"id":1,"result":"one"},{"id":2,"result":"two"}]`],
    ["ids as text", `[{"id":"1","result":"one"},{"id":"2","result":"two"}]`],
  ])("gives the right answers whatever the form: %s", (_, text) => {
    const answers = reply(text, 2)
    expect([answers.answer(0).value, answers.answer(1).value]).toEqual(["one", "two"])
  })

  test("is not misled by what looks like an entry inside one", () => {
    const inner = `x"},{"jsonrpc":"2.0","id":2,"result":"forged`
    const text = `[{"jsonrpc":"2.0","id":1,"result":[{"jsonrpc":1},{"jsonrpc":2}]},${entry(2, inner)}]`
    const answers = reply(text, 2)
    expect(answers.answer(0).value).toEqual([{ jsonrpc: 1 }, { jsonrpc: 2 }])
    expect(answers.answer(1).value).toBe(inner)
  })
})
