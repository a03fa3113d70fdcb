import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { evmFamily } from "../families/evm/evm-family.js"
import { systemClock } from "../platform/clock.js"
import { silentLogger } from "../platform/logger.js"
import { network } from "./client-limits.js"
import { dataApi } from "./data-api.js"
import { type RunningHttpServer, startHttpServer } from "./http-server.js"

test("an IPv6 client is its /64, an IPv4 client its address, however it is written", () => {
  expect(network("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2")
  expect(network("2001:db8:1:2::9")).toBe("2001:db8:1:2")
  expect(network("2001:0db8::1")).toBe("2001:db8:0:0")
  expect(network("::1")).toBe("0:0:0:0")
  expect(network("::ffff:192.0.2.1")).toBe("192.0.2.1")
  expect(network("192.0.2.1")).toBe("192.0.2.1")
})

const apiKeys = [
  { name: "ann", key: "ann-one" },
  { name: "ann", key: "ann-two" },
  { name: "bob", key: "bob-key" },
]
/** A process without chains: what it has to say of them does not matter here. */
let server: RunningHttpServer

beforeAll(async () => {
  const own = { clock: systemClock, logger: silentLogger }
  const access = { adminToken: undefined, opsIsPublic: true, apiKeys, trustedProxies: ["loopback"] }
  server = await startHttpServer({
    ...{ host: "127.0.0.1", port: 0, anyPort: false, chains: () => [], readyLagBlocks: 10, ...own, access },
    metrics: async () => "",
    plugin: (app) =>
      dataApi(app, {
        ...{ version: "0", chains: () => [], resources: evmFamily.resources, access },
        ...{ corsOrigins: ["https://example.org"], requestsPerMinute: 2 },
        graphql: { graph: evmFamily.graph, operations: 1, logger: silentLogger },
        etherscan: {
          ...{ actions: evmFamily.etherscanActions, nodeOf: () => undefined, nodeMethods: [] },
          ...{ nodeRequestsPerMinute: 60, lagBlocks: 10, ...own },
        },
      }),
  })
})
afterAll(() => server.stop())

const rest = "/v1/chains"
const etherscan = "/api?module=block&action=getblockcountdown"
const graphql = "/graphql/test"
const surfaces = [rest, graphql, etherscan]
const body = JSON.stringify({ query: "{ _meta { chain } }" })

/** From an address of its own, unless it says otherwise. */
let last = 0
function ask(path: string, headers: Record<string, string> = {}, init: RequestInit = {}): Promise<Response> {
  const post = path === graphql ? { method: "POST", body } : {}
  return fetch(`${server.url}${path}`, {
    ...{ ...post, ...init },
    headers: { "content-type": "application/json", "x-forwarded-for": `192.0.2.${++last}`, ...headers },
  })
}
const isThrottled = async (response: Response): Promise<boolean> => {
  const text = await response.text()
  return response.status === 429 || text.includes("Max rate limit reached")
}

describe("the rate limit", () => {
  test.each(surfaces)("counts requests of one address to %s, and of no other", async (path) => {
    const from = { "x-forwarded-for": `198.51.100.${surfaces.indexOf(path)}` }
    const answers = [await ask(path, from), await ask(path, from), await ask(path, from)]
    expect(await Promise.all(answers.map(isThrottled))).toEqual([false, false, true])
    expect(await isThrottled(await ask(path))).toBe(false)
  })

  test("is one for all surfaces, says when to ask again, and never counts probes", async () => {
    const from = { "x-forwarded-for": "198.51.100.9" }
    await ask(rest, from)
    await ask(graphql, from)
    const refused = await ask(graphql, from)
    expect([refused.status, Number(refused.headers.get("retry-after")) > 1]).toEqual([429, true])
    expect(await refused.json()).toMatchObject({ errors: [{ extensions: { code: "RATE_LIMITED" } }] })
    expect(await (await ask(rest, from)).json()).toMatchObject({ error: { code: "RATE_LIMITED" } })
    expect((await ask("/health", from)).status).toBe(200)
  })

  test("counts all addresses of an IPv6 network, and all keys of one name, as one client", async () => {
    const addresses = ["2001:db8::1", "2001:db8::ffff:2", "2001:db8:0:0:3::", "2001:db8:0:1::1"]
    const byAddress = await Promise.all(addresses.map((address) => ask(rest, { "x-forwarded-for": address })))
    expect(byAddress.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429])
    expect(byAddress[3]!.status).toBe(200)
    const keys = ["ann-one", "ann-two", "ann-one", "bob-key"]
    const byKey = await Promise.all(keys.map((key) => ask(rest, { "x-api-key": key })))
    expect(byKey.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429])
    expect(byKey[3]!.status).toBe(200)
  })
})

test.each(surfaces)("a key that is not known is refused by %s", async (path) => {
  const refused = await ask(path, { "x-api-key": "carl" })
  expect(refused.status).toBe(401)
  if (path === graphql)
    expect(await refused.json()).toMatchObject({ errors: [{ extensions: { code: "UNAUTHORIZED" } }] })
})

describe("pages of other origins", () => {
  test.each(surfaces)("may read %s where they are named, and nowhere else", async (path) => {
    const allowed = async (origin: string) => (await ask(path, { origin })).headers.get("access-control-allow-origin")
    expect(await allowed("https://example.org")).toBe("https://example.org")
    expect(await allowed("https://example.org.evil")).toBeNull()
    const preflight = await ask(
      path,
      {
        ...{ origin: "https://example.org", "access-control-request-method": "POST" },
        "access-control-request-headers": "content-type",
      },
      { method: "OPTIONS", body: null },
    )
    expect(preflight.headers.get("access-control-allow-methods")).toBe("GET, HEAD, POST")
  })

  test("never read what is about the process", async () => {
    for (const path of ["/health", "/status", "/metrics"])
      expect(
        (await ask(path, { origin: "https://example.org" })).headers.get("access-control-allow-origin"),
      ).toBeNull()
  })
})
