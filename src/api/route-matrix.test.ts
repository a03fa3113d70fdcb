// Every route of the router, with every method, for every kind of client under every setting: nobody is answered who may
// not be. The routes come from the router itself, so a new one is in the matrix from its first day.

import type { FastifyInstance } from "fastify"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { type ServedRoute, type ServedStore, serveStore } from "../../test/support/served-store.js"
import { reservedChainNames } from "../platform/load-config.js"
import type { Access } from "./access.js"
import { declareSurface, guardSurfaces, type Surface, surfaces } from "./surfaces.js"

const [token, key] = ["the-admin-token-of-this-test", "the-api-key-of-this-test"]
const base: Access = {
  ...{ adminToken: token, opsIsPublic: true, trustedProxies: [] },
  apiKeys: [{ name: "explorer", key }],
}
const settings: Readonly<Record<string, Access>> = {
  "a token, OPS=public": base,
  "a token, OPS=token": { ...base, opsIsPublic: false },
  "no token, OPS=public": { ...base, adminToken: undefined },
  "no token, OPS=token": { ...base, adminToken: undefined, opsIsPublic: false },
}

const [first] = Object.keys(settings)

const bearer = (value: string) => ({ authorization: `Bearer ${value}` })
const clients: Readonly<Record<string, Record<string, string>>> = {
  nobody: {},
  "a wrong token": bearer("the-admin-token-of-another"),
  "part of the token": bearer(token.slice(0, -1)),
  "the token in the wrong scheme": { authorization: `Basic ${token}` },
  "the token as API key": { "x-api-key": token },
  "an API key": { "x-api-key": key },
  "an API key as token": bearer(key),
  "a wrong API key": { "x-api-key": "another-key-of-nobody" },
  "an undefined token": bearer("undefined"),
  admin: bearer(token),
}

/** May be answered at all; whether the request makes sense is another matter. */
function mayUse(surface: Surface, client: string, { adminToken, opsIsPublic }: Access): boolean {
  const isAdmin = client === "admin" && adminToken !== undefined
  if (surface === "admin") return isAdmin
  if (surface === "ops" && !opsIsPublic) return isAdmin
  return ["process", "preflight"].includes(surface) || !["a wrong API key", "the token as API key"].includes(client)
}

/** Something for each parameter, such that a route that may be used finds what it asks for where it can. */
const filled = (url: string, chain = "test"): string =>
  url
    .replace(":chain", chain)
    .replace(/:\w+/g, "1")
    .replace(/^\/?\*|\*/, "/x")

let store: ServedStore
const served = new Map<string, ServedStore>()
beforeAll(async () => {
  store = await serveStore(livelyBlocks({ seed: 1, from: 0, to: 3 }))
  for (const [name, access] of Object.entries(settings)) served.set(name, await store.again({ access }))
}, 60_000)
afterAll(async () => {
  for (const one of served.values()) await one.close()
  await store.close()
})

const surfaceOf = ({ config }: ServedRoute): Surface => config!.surface!
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const

describe.each(Object.keys(settings))("with %s", (name) => {
  test("no route answers who may not use it", async () => {
    const { routes, inject } = served.get(name)!
    const access = settings[name]!
    const wrong: string[] = []
    let allowed = 0
    for (const path of new Set(routes.map((route) => route.url))) {
      for (const method of methods) {
        const route = routes.find((one) => one.url === path && one.method === method)
        for (const [client, headers] of Object.entries(clients)) {
          // Nobody may use a method that is not there, not even who may do everything.
          if (!route && client !== "admin") continue
          const may = route !== undefined && mayUse(surfaceOf(route), client, access)
          // It does not end.
          if (may && path === "/v1/stream") continue
          // That there is no such chain is known without a query: enough to see who is turned away. Once it is asked for real.
          const isReal = name === first && client === "admin" && method === "GET"
          const url = filled(path, isReal ? "test" : "none")
          const body = method === "POST" ? { payload: {} } : {}
          const { statusCode: status } = await inject({ method, url, headers, ...body })
          const said = `${method} ${path} for ${client}: ${status}`
          if (!may && status < 400) wrong.push(said)
          if (!may && route && status !== 401) wrong.push(`${said}, not 401`)
          if (may && status === 401) wrong.push(said)
          if (isReal && may && status < 400) allowed++
        }
      }
    }
    expect(wrong).toEqual([])
    if (name === first) expect(allowed).toBeGreaterThan(25)
  }, 120_000)

  test("there are admin routes only with a token, and operators' only where somebody may read them", () => {
    const known = new Set(served.get(name)!.routes.map(surfaceOf))
    const { adminToken, opsIsPublic } = settings[name]!
    expect(known.has("admin")).toBe(adminToken !== undefined)
    expect(known.has("ops")).toBe(opsIsPublic || adminToken !== undefined)
  })
})

test("a method that a path does not have is refused with those that it has", async () => {
  const { routes, inject } = served.get("a token, OPS=token")!
  const paths = [...new Set(routes.map((route) => route.url))].filter((path) => !path.includes("*"))
  const wrong: string[] = []
  for (const path of paths) {
    const has = (method: string) => routes.some((one) => one.url === path && [one.method].flat().includes(method))
    // The plugin for CORS takes OPTIONS. Types know nothing of QUERY, which the router does.
    for (const method of [...methods, "QUERY" as "POST"].filter((one) => one !== "OPTIONS" && !has(one))) {
      const { statusCode, headers, body } = await inject({
        method,
        url: filled(path),
        headers: bearer(token),
      })
      const allow = String(headers["allow"]).split(", ")
      if (statusCode !== 405 || !allow.every(has) || (method !== "HEAD" && !body.includes("METHOD_NOT_ALLOWED")))
        wrong.push(`${method} ${path}: ${statusCode}, allow ${allow}`)
    }
  }
  expect(wrong).toEqual([])
  expect(paths.length).toBeGreaterThan(60)
  expect((await inject({ method: "POST", url: "/v1/test/nothing" })).statusCode).toBe(404)
}, 60_000)

test("a secret is in no answer", async () => {
  const { get, routes } = served.get("a token, OPS=token")!
  for (const path of new Set(routes.filter(({ method }) => method === "GET").map(({ url }) => url))) {
    if (path.endsWith("/stream")) continue
    const { text } = await get(filled(path), { ...bearer(token), "x-api-key": key })
    expect(text.includes(token) || text.includes(key), path).toBe(false)
  }
})

test("no chain can have a name that is a part of a path", () => {
  const { routes } = served.get("a token, OPS=token")!
  const taken = routes.flatMap(({ url }) => /^\/(?:v1|admin)\/([a-z][a-z0-9-]*)/.exec(url)?.[1] ?? [])
  expect(taken).toContain("stream")
  expect(taken.filter((name) => !reservedChainNames.includes(name))).toEqual([])
})

describe("a route", () => {
  const ready = async (add: (app: FastifyInstance) => void): Promise<void> => {
    const { fastify } = await import("fastify")
    const app = fastify()
    guardSurfaces(app, base)
    await app.register(async (routes) => add(routes))
    await app.ready()
  }

  test("that declares no surface keeps the server from starting", async () => {
    await expect(ready((app) => app.get("/new", async () => ({})))).rejects.toThrow("GET /new declares no surface")
  })

  test("of a surface that only reads cannot take a method that writes", async () => {
    for (const surface of ["data", "ops", "process", "docs"] as const) {
      const adding = ready((app) => {
        declareSurface(app, surface)
        app.post("/new", async () => ({}))
      })
      await expect(adding).rejects.toThrow(
        `of the surface ${surface}, which takes ${surfaces[surface].join(", ")} only`,
      )
    }
  })
})
