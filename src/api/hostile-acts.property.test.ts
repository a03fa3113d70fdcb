// Drives every route under /admin with hostile values and bodies, with the token: only 2xx and documented refusals, no stack
// and no secret in any answer, each of which fits the document's own schema.

import fc from "fast-check"
import { Compile } from "typebox/schema"
import { afterAll, beforeAll, expect, test } from "vitest"
import { encoded, fitting, hostile, type ParameterSchema } from "../../test/support/hostile-values.js"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { type ServedStore, serveStore } from "../../test/support/served-store.js"

const token = "the-admin-token-of-this-test"
let served: ServedStore

beforeAll(async () => {
  const access = { adminToken: token, opsIsPublic: true, apiKeys: [], trustedProxies: [] }
  served = await serveStore(livelyBlocks({ seed: 9, from: 0, to: 6 }), { access })
  // Else tables would be dropped for good.
  await served.store.raw.query(
    `insert into raw.processes (id, host, pid, roles, version, seen_at)
     values (gen_random_uuid(), 'h', 1, '{work}', '1', clock_timestamp() + interval '1 hour')`,
  )
}, 60_000)
afterAll(() => served.close())

interface BodySchema extends ParameterSchema {
  readonly properties?: Record<string, BodySchema>
  readonly required?: readonly string[]
}
interface Operation {
  readonly parameters?: readonly {
    readonly name: string
    readonly in: "path" | "query"
    readonly schema: BodySchema
  }[]
  readonly requestBody?: { readonly content: Record<string, { readonly schema: BodySchema }> }
  readonly responses: Record<string, { content?: Record<string, { schema: object }> }>
}

const workers = fc.constantFrom("token_worker", "evm_worker", "raw_ingester")
const fittingOrNot = (name: string, schema: ParameterSchema): fc.Arbitrary<string> => {
  const known =
    name === "chain"
      ? fc.constant("test")
      : name === "worker"
        ? workers
        : name === "address"
          ? fc.constant("any")
          : undefined
  const fits = fitting(schema)
  return fc.oneof({ arbitrary: known ? fc.oneof(known, fits) : fits, weight: 6 }, { arbitrary: hostile, weight: 1 })
}
const record = (schemas: Readonly<Record<string, BodySchema>>, required: readonly string[]) =>
  fc.record(Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, jsonOf(name, schema)])), {
    requiredKeys: [...required],
  })
function jsonOf(name: string, schema: BodySchema): fc.Arbitrary<unknown> {
  if (schema.type === "boolean") return fc.oneof(fc.boolean(), hostile)
  if (schema.type === "array")
    return fc.oneof(fc.constant([{ type: "event", name: "Ping" }]), fc.array(fc.jsonValue()))
  return fc.oneof({ arbitrary: fittingOrNot(name, schema), weight: 8 }, { arbitrary: fc.jsonValue(), weight: 1 })
}

test("every act answers hostile values with data or a documented refusal, and each answer fits its schema", async () => {
  const document = (await served.get("/openapi.json")).json as { paths: Record<string, Record<string, Operation>> }
  const seen = new Map<string, Set<number>>()
  const validators = new Map<object, ReturnType<typeof Compile>>()
  const validatorOf = (schema: object): ReturnType<typeof Compile> => {
    const validator = validators.get(schema) ?? Compile(schema)
    validators.set(schema, validator)
    return validator
  }
  const requests = Object.entries(document.paths)
    .filter(([path]) => path.startsWith("/admin"))
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({ path, method, operation })),
    )
    .map(({ path, method, operation }) => {
      const parameters = operation.parameters ?? []
      const schemas = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]))
      const inPath = parameters.filter((one) => one.in === "path").map(({ name }) => name)
      const body = operation.requestBody?.content["application/json"]?.schema
      const bodies: fc.Arbitrary<unknown> = body
        ? fc.oneof(
            { arbitrary: record(body.properties ?? {}, body.required ?? []), weight: 10 },
            { arbitrary: fc.jsonValue(), weight: 1 },
          )
        : fc.constant(undefined)
      const values = fc.record(
        Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, fittingOrNot(name, schema)])),
        { requiredKeys: inPath },
      )
      return fc.record({ values, body: bodies }).map((drawn) => ({ path, method, operation, inPath, ...drawn }))
    })
  await fc.assert(
    fc.asyncProperty(fc.oneof(...requests), async ({ path, method, operation, inPath, values, body }) => {
      const filled = path.replace(/\{(\w+)\}/g, (_, name) => encoded(values[name]!) || "0")
      const query = Object.entries(values).filter(([name]) => !inPath.includes(name))
      const url = `${filled}?${query.map(([name, value]) => `${name}=${encoded(value)}`).join("&")}`
      const response = await served.inject({
        ...{ method: method.toUpperCase() as "POST", url },
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      })
      const status = response.statusCode
      const what = `${status} ${method} ${url} ${JSON.stringify(body)?.slice(0, 300)} ${response.body.slice(0, 300)}`
      expect([200, 400, 404, 409], what).toContain(status)
      expect(response.body, what).not.toMatch(/\n\s+at |node_modules/)
      expect(response.body.includes(token), what).toBe(false)
      seen.set(`${method} ${path}`, (seen.get(`${method} ${path}`) ?? new Set()).add(status))
      const schema = operation.responses[status]?.content?.["application/json"]?.schema
      if (schema) expect(validatorOf(schema).Check(JSON.parse(response.body)), what).toBe(true)
    }),
    { numRuns: 400 },
  )
  const reached = (status: number): number => [...seen.values()].filter((statuses) => statuses.has(status)).length
  // About half of the acts in 400 draws; fewer than a quarter means that the values no longer get past validation.
  expect(reached(200)).toBeGreaterThan(requests.length / 4)
  expect(reached(400)).toBeGreaterThan(requests.length / 4)
}, 120_000)
