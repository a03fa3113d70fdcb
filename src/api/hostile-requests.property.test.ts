// Drives every route of the OpenAPI document with hostile values: only 2xx, documented refusals, and answers that fit the
// document's own schema. Half of the values fit their parameter, so that requests get past validation.

import fc from "fast-check"
import { Compile } from "typebox/schema"
import { afterAll, beforeAll, expect, test } from "vitest"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { type ServedStore, serveStore } from "../../test/support/served-store.js"

let served: ServedStore

beforeAll(async () => {
  served = await serveStore(livelyBlocks({ seed: 9, from: 0, to: 20 }))
}, 60_000)
afterAll(() => served.close())

interface ParameterSchema {
  readonly type?: string
  readonly pattern?: string
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly enum?: readonly string[]
  readonly anyOf?: readonly { readonly const: string; readonly pattern?: string }[]
}
interface Parameter {
  readonly name: string
  readonly in: "path" | "query"
  readonly schema: ParameterSchema
}
interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly responses: Record<string, { content?: Record<string, { schema: object }> }>
}

const hostile = fc.oneof(
  fc.constantFrom("0", "3", "-1", "999999999999999", "9999999999999999", "1e3", "asc", "", "null", "test", "0x"),
  fc.constantFrom("2024-02-27T00:00:00Z", "0000-01-01T00:00:00Z", "2016-12-31T23:59:60Z", "9999-12-31T23:59:59+23:59"),
  fc.constantFrom("' or 1=1 --", "\u0000", "%00", "../../etc", "💥", "AAAAAAAAAAAAAAAAAAAAAAAAAAAA", "9".repeat(78)),
  fc.constantFrom("9".repeat(79), `0x${"01".repeat(20)}`, `0x${"00".repeat(32)}`, "csv"),
  fc.string({ maxLength: 40, unit: "binary" }),
)

/** Of the store, so that some requests find something. */
const known = [
  `0x${"01".repeat(20)}`,
  `0x${"C0".repeat(20)}`,
  `0x${"c4".repeat(20)}`,
  `0x${"ab".repeat(32)}`,
  "3",
  "1",
]

const filters = ["block_height:3", `contract_address:0x${"c0".repeat(20)}`, `address:0x${"01".repeat(20)}`]

function fitting({
  type,
  pattern,
  format,
  minimum,
  maximum,
  enum: names,
  anyOf,
}: ParameterSchema): fc.Arbitrary<string> {
  if (pattern) {
    const fits = known.filter((one) => new RegExp(pattern).test(one))
    const drawn = fc.stringMatching(new RegExp(pattern))
    return fits.length > 0 ? fc.oneof(drawn, fc.constantFrom(...fits)) : drawn
  }
  // Once, though it may be given several times.
  if (anyOf?.[0]?.pattern) return fc.oneof(fitting({ pattern: anyOf[0].pattern }), fc.constantFrom(...filters))
  if (names ?? anyOf) return fc.constantFrom(...(names ?? anyOf!.map((one) => one.const)))
  if (type === "integer") return fc.integer({ min: minimum ?? 0, max: maximum ?? 1_000 }).map(String)
  if (format === "date-time") return fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
  return hostile
}

/** A lone surrogate cannot be sent. */
const encoded = (text: string): string => encodeURIComponent(Buffer.from(text).toString())

/** Waits half a minute. */
const waits = (name: string): boolean => name === "min_height" || name === "min_block_hash"

const valuesOf = (parameters: readonly Parameter[]) =>
  fc.record(
    Object.fromEntries(
      parameters.map(({ name, schema }) => [
        name,
        name === "chain"
          ? fc.oneof({ arbitrary: fc.constant("test"), weight: 20 }, { arbitrary: hostile, weight: 1 })
          : fc.oneof({ arbitrary: fitting(schema), weight: 5 }, { arbitrary: hostile, weight: 1 }),
      ]),
    ),
    { requiredKeys: parameters.filter((one) => one.in === "path").map(({ name }) => name) },
  )

test("every route answers hostile values with data or a documented refusal, and each answer fits its schema", async () => {
  const document = (await (await fetch(`${served.url}/openapi.json`)).json()) as {
    paths: Record<string, { get: Operation }>
  }
  const seen = new Set<string>()
  const validators = new Map<object, ReturnType<typeof Compile>>()
  const validatorOf = (schema: object): ReturnType<typeof Compile> => {
    const validator = validators.get(schema) ?? Compile(schema)
    validators.set(schema, validator)
    return validator
  }
  const requests = Object.entries(document.paths).map(([path, { get: operation }]) => {
    const parameters = (operation.parameters ?? []).filter(({ name }) => !waits(name))
    return valuesOf(parameters).map((values) => ({ path, operation, parameters, values }))
  })
  await fc.assert(
    fc.asyncProperty(fc.oneof(...requests), async ({ path, operation, parameters, values }) => {
      const filled = path.replace(/\{(\w+)\}/g, (_, name) => encoded(values[name]!) || "0")
      const query = parameters
        .filter((one) => one.in === "query" && values[one.name] !== undefined)
        .map(({ name }) => `${name}=${encoded(values[name]!)}`)
      const url = `${filled}?${query.join("&")}`
      const response = await fetch(`${served.url}${url}`)
      const text = await response.text()
      const what = `${response.status} ${url} ${text.slice(0, 300)}`
      expect([200, 400, 404, 422], what).toContain(response.status)
      seen.add(`${path} ${response.status}`)
      if (!response.headers.get("content-type")?.includes("json")) return
      const schema = operation.responses[response.status]?.content?.["application/json"]?.schema
      if (schema) expect(validatorOf(schema).Check(JSON.parse(text)), what).toBe(true)
    }),
    { numRuns: 1_500 },
  )
  // It must have reached data on nearly every route, and been refused on nearly every one.
  const reached = (status: number): number => [...seen].filter((one) => one.endsWith(` ${status}`)).length
  expect(reached(200)).toBeGreaterThan(requests.length / 2)
  expect(reached(400)).toBeGreaterThan(requests.length / 2)
}, 120_000)
