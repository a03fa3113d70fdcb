// Drives every route of the OpenAPI document with hostile values: only 2xx, documented refusals, and answers that fit the
// document's own schema. Half of the values fit their parameter, so that requests get past validation.

import fc from "fast-check"
import { Compile } from "typebox/schema"
import { afterAll, beforeAll, expect, test } from "vitest"
import { encoded, fitting, hostile, type ParameterSchema } from "../../test/support/hostile-values.js"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { type ServedStore, serveStore } from "../../test/support/served-store.js"

let served: ServedStore

beforeAll(async () => {
  served = await serveStore(livelyBlocks({ seed: 9, from: 0, to: 20 }))
}, 60_000)
afterAll(() => served.close())

interface Parameter {
  readonly name: string
  readonly in: "path" | "query"
  readonly schema: ParameterSchema
}
interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly responses: Record<string, { content?: Record<string, { schema: object }> }>
}

/** Waits half a minute. */
const waits = (name: string): boolean => name === "min_height" || name === "min_block_hash"

/** A few at a time, since each of them can be refused. */
const sometimes = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 1 })

const valuesOf = (parameters: readonly Parameter[]) =>
  fc.record(
    Object.fromEntries(
      parameters.map(({ name, schema, in: place }) => {
        const any = fc.oneof({ arbitrary: fitting(schema), weight: 5 }, { arbitrary: hostile, weight: 1 })
        if (name !== "chain") return [name, place === "path" ? any : sometimes(any)]
        return [name, fc.oneof({ arbitrary: fc.constant("test"), weight: 20 }, { arbitrary: hostile, weight: 1 })]
      }),
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
  // One table of each kind stands for all.
  const isDrawn = (path: string): boolean => /\/tables(?!\/\w)|\/tables\/ft_(transfers|holdings)$/.test(path)
  const paths = Object.entries(document.paths).filter(([path]) => !path.includes("/tables/") || isDrawn(path))
  const requests = paths.map(([path, { get: operation }]) => {
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
    { numRuns: 800 },
  )
  // It must have reached data on nearly every route, and been refused on nearly every one.
  const reached = (status: number): number => [...seen].filter((one) => one.endsWith(` ${status}`)).length
  expect(reached(200)).toBeGreaterThan(requests.length / 2)
  expect(reached(400)).toBeGreaterThan(requests.length / 2)
}, 120_000)
