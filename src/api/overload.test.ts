// A server that has more to answer than connections: it says so, on every surface, and never that a database is away.

import { Registry } from "prom-client"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { waitUntil } from "../../test/support/wait-until.js"
import { evmFamily } from "../families/evm/evm-family.js"
import { systemClock } from "../platform/clock.js"
import { silentLogger } from "../platform/logger.js"
import { createHttpMetrics } from "../platform/metrics.js"
import { Database } from "../postgres/database.js"
import { ServedChain } from "../queries/served-chain.js"
import { noAccess } from "./access.js"
import { dataApi } from "./data-api.js"
import { type RunningHttpServer, startHttpServer } from "./http-server.js"

const registry = new Registry()
let place: TestDatabase
let database: Database
let server: RunningHttpServer

beforeAll(async () => {
  place = await createTestDatabase()
  database = new Database({ url: place.url, applicationName: "test", maxConnections: 1, connectTimeoutMs: 1_000 })
  await waitUntil(() => database.query("select 1"), { what: "its connection" })
  const chain = new ServedChain({ name: "test", raw: database, app: database, clock: systemClock })
  const own = { clock: systemClock, logger: silentLogger }
  server = await startHttpServer({
    ...{ host: "127.0.0.1", port: 0, anyPort: false, chains: () => [], readyLagBlocks: 10, ...own },
    metrics: () => registry.metrics(),
    httpMetrics: createHttpMetrics(registry),
    plugin: (app) =>
      dataApi(app, {
        ...{ version: "0", chains: () => [chain], resources: evmFamily.resources, access: noAccess },
        ...{ corsOrigins: [], requestsPerMinute: 0 },
        graphql: { graph: evmFamily.graph, operations: 1, logger: silentLogger },
        etherscan: {
          ...{ actions: evmFamily.etherscanActions, nodeOf: () => undefined, nodeMethods: [] },
          ...{ nodeRequestsPerMinute: 60, lagBlocks: 10, ...own },
        },
      }),
  })
})
afterAll(async () => {
  await server.stop()
  await database.end()
  await place.drop()
})

test("whoever waited for a connection in vain is told to ask again, and then is answered", async () => {
  const ask = (path: string) => fetch(`${server.url}${path}`)
  const refused = await database.transaction(async (tx) => {
    await tx.query("select 1")
    return Promise.all(
      ["/v1/chains", "/graphql?query={_meta{chain}}", "/api?module=proxy&action=eth_blockNumber"].map(ask),
    )
  })
  const [rest, graphql, etherscan] = refused
  expect([rest!.status, rest!.headers.get("retry-after")]).toEqual([429, "1"])
  expect(await rest!.json()).toMatchObject({ error: { code: "OVERLOADED" } })
  expect([graphql!.status, graphql!.headers.get("retry-after")]).toEqual([429, "1"])
  expect(await graphql!.json()).toMatchObject({ errors: [{ extensions: { code: "OVERLOADED" } }] })
  // As Etherscan's clients are told to wait.
  expect(await etherscan!.json()).toMatchObject({ result: expect.stringMatching(/^Max rate limit reached/) })
  expect(await registry.metrics()).toContain('tidemark_http_rejections_total{reason="overloaded"} 2')
  expect((await ask("/v1/chains")).status).toBe(200)
})
