import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { systemClock } from "../platform/clock.js"
import { silentLogger } from "../platform/logger.js"
import { type RunningHttpServer, startHttpServer } from "./http-server.js"
import { declareSurface } from "./surfaces.js"
import { loadWebPages, type WebPages } from "./web-pages.js"

const page = "<!doctype html><title>pages</title>"
const script = "export const one = 1"
const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }

let directory: string
let server: RunningHttpServer
let unbuilt: RunningHttpServer

const serve = (pages: WebPages): Promise<RunningHttpServer> =>
  startHttpServer({
    ...{ host: "127.0.0.1", port: 0, anyPort: false, chains: () => [], metrics: async () => "", readyLagBlocks: 10 },
    ...{ clock: systemClock, logger: silentLogger, pages },
    plugin: async (app) => {
      await app.register(async (routes) => {
        declareSurface(routes, "data")
        routes.get("/v1/chains", async () => ({ data: [] }))
      })
    },
  })

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "pages-"))
  await mkdir(join(directory, "assets"))
  for (const [name, content] of [
    ["index.html", page],
    ["assets/entry-abc.js", script],
  ] as const) {
    await writeFile(join(directory, name), content)
    await writeFile(join(directory, `${name}.br`), brotliCompressSync(content))
    await writeFile(join(directory, `${name}.gz`), gzipSync(content))
  }
  await writeFile(join(directory, "manifest.json"), "{}")
  server = await serve(await loadWebPages(directory))
  unbuilt = await serve(await loadWebPages(join(directory, "absent")))
})
afterAll(async () => {
  await server.stop()
  await unbuilt.stop()
  await rm(directory, { recursive: true })
})

const get = (path: string, headers: Record<string, string> = {}, from = server): Promise<Response> =>
  fetch(`${from.url}${path}`, { headers })

describe("pages", () => {
  test("are at the root and at every path that is no other route's, for browsers", async () => {
    for (const path of ["/", "/demo", "/demo/blocks/12?cursor=a", "/tx/0x12", "/console"]) {
      const answer = await get(path, browser)
      expect([path, answer.status, await answer.text()]).toEqual([path, 200, page])
    }
  })

  test("shadow no route: programs, and whoever asks below a route's path, are answered as without them", async () => {
    for (const accept of ["application/json", "*/*"]) {
      expect(await (await get("/", { accept })).json()).toMatchObject({ name: "tidemark" })
      expect((await get("/demo/blocks", { accept })).status).toBe(404)
    }
    for (const path of ["/v1/demo/nothing", "/health/more", "/assets/none.js"]) {
      const answer = await get(path, browser)
      expect([path, answer.status]).toEqual([path, 404])
      expect(await answer.json()).toMatchObject({ error: { code: "NOT_FOUND" } })
    }
    expect((await get("/", { accept: "application/json" })).headers.get("vary")).toContain("accept")
  })

  test("load from this origin alone, and run no script that is in a page", async () => {
    const policy = (await get("/", browser)).headers.get("content-security-policy")!
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).not.toMatch(/unsafe|http|\*/)
  })

  test("are compressed as the client takes them, and asked for again only when they changed", async () => {
    for (const [accepted, sent] of [
      ["gzip, deflate, br", "br"],
      ["gzip;q=0.5", "gzip"],
      ["br;q=0, identity", null],
    ] as const) {
      const answer = await get("/assets/entry-abc.js", { "accept-encoding": accepted })
      expect(answer.headers.get("content-encoding")).toBe(sent)
      expect(await answer.text()).toBe(script)
      expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
    }
    const first = await get("/", browser)
    expect(first.headers.get("cache-control")).toBe("no-cache")
    const again = await get("/", { ...browser, "if-none-match": first.headers.get("etag")! })
    expect(again.status).toBe(304)
  })

  test("are a fixed set of files: a path leads to none that is not a page's", async () => {
    for (const path of ["/manifest.json", "/..%2f..%2fpackage.json", "/assets/%2e%2e/index.html.br"]) {
      expect((await get(path, { accept: "*/*" })).status).toBe(404)
    }
  })

  test("that were not built are said to be so, and nothing else is missing", async () => {
    const answer = await get("/", browser, unbuilt)
    expect(answer.status).toBe(503)
    expect(await answer.text()).toContain("npm run build")
    expect((await get("/health", {}, unbuilt)).status).toBe(200)
  })
})
