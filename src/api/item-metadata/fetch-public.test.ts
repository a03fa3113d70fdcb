import { mkdtemp, readFile, rm } from "node:fs/promises"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer as createHttpsServer, type Server } from "node:https"
import { type AddressInfo, createServer, type Server as TcpServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { makeCertificates } from "../../../test/support/make-certificates.js"
import { systemClock } from "../../platform/clock.js"
import { DocumentError, fetchLimits, fetchPublic, type PublicNetwork } from "./fetch-public.js"
import { isPublicAddress } from "./public-address.js"

let certificates: string
let ca: Buffer
/** Stands for the internet: 127.0.0.1, which the tests call public. */
let web: Server
/** Stands for the operator's own network: the same port of 127.0.0.2. */
let canary: TcpServer
let port: number
let hits = 0
let answer: (request: IncomingMessage, response: ServerResponse) => void

beforeAll(async () => {
  certificates = await mkdtemp(join(tmpdir(), "tidemark-test-documents-"))
  await makeCertificates(certificates, ["web.test", "moved.test"])
  const file = (name: string) => readFile(join(certificates, name))
  ca = await file("ca.crt")
  web = createHttpsServer({ key: await file("server.key"), cert: await file("server.crt") }, (request, response) =>
    answer(request, response),
  )
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve))
  port = (web.address() as AddressInfo).port
  canary = createServer((socket) => {
    hits++
    socket.destroy()
  })
  await new Promise<void>((resolve) => canary.listen(port, "127.0.0.2", resolve))
})
afterAll(async () => {
  web.closeAllConnections()
  await Promise.all([web, canary].map((server) => new Promise((resolve) => server.close(resolve))))
  await rm(certificates, { recursive: true, force: true })
})
beforeEach(() => {
  hits = 0
  answer = (_, response) => response.setHeader("content-type", "application/json").end('{"name":"one"}')
})

/** By name; what is asked more often than that gets the last address. */
function networkOf(names: Readonly<Record<string, readonly string[]>>): PublicNetwork {
  const asked = new Map<string, number>()
  return {
    resolve: async (host) => {
      const answers = names[host] ?? []
      const at = asked.get(host) ?? 0
      asked.set(host, at + 1)
      return answers.slice(0, at + 1).slice(-1)
    },
    isPublic: (address) => address === "127.0.0.1",
    ...{ port, tls: { ca } },
  }
}
const here = { "web.test": ["127.0.0.1"], "moved.test": ["127.0.0.1"], "inside.test": ["127.0.0.2"] }
const signal = new AbortController().signal
const fetched = async (url: string, network = networkOf(here), limits = fetchLimits): Promise<string> =>
  (await fetchPublic(url, { network, limits, clock: systemClock, signal })).toString()
const failure = async (...all: Parameters<typeof fetched>): Promise<[string, string]> => {
  const error = await fetched(...all).then(
    () => new Error("it was fetched"),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof DocumentError)) throw error
  return [error.status, error.message]
}

test("a document of the public internet is fetched, over redirects too", async () => {
  const paths: string[] = []
  answer = (request, response) => {
    paths.push(`${request.headers.host} ${request.url}`)
    if (request.url === "/a?b=1") response.writeHead(302, { location: `https://moved.test:${port}/there` }).end()
    else response.setHeader("content-type", "application/json; charset=utf-8").end("{}")
  }
  expect(await fetched(`https://web.test:${port}/a?b=1`)).toBe("{}")
  expect(paths).toEqual([`web.test:${port} /a?b=1`, `moved.test:${port} /there`])
})

test("the operator's network is never reached, however its addresses are written", async () => {
  const hosts = "127.0.0.2 2130706434 0x7f000002 0177.0.0.2 127.2 [::ffff:127.0.0.2] [::ffff:7f00:2] [::1] localhost"
  for (const host of [...hosts.split(" "), "169.254.169.254", "inside.test", "0.0.0.0"]) {
    const network = { ...networkOf({ ...here, localhost: ["127.0.0.2"] }), isPublic: isPublicAddress }
    expect([host, (await failure(`https://${host}:${port}/`, network))[0]]).toEqual([host, "refused"])
  }
  expect(hits).toBe(0)
})

test("a redirect into the operator's network is refused", async () => {
  for (const target of [`https://inside.test:${port}/`, `https://127.0.0.2:${port}/`, `http://web.test:${port}/`]) {
    answer = (_, response) => response.writeHead(301, { location: target }).end()
    expect([target, (await failure(`https://web.test:${port}/`))[0]]).toEqual([target, "refused"])
  }
  expect(hits).toBe(0)
})

test("a name that changes its address between the check and the connection is not followed", async () => {
  const network = networkOf({ "web.test": ["127.0.0.1", "127.0.0.2"] })
  expect(await fetched(`https://web.test:${port}/`, network)).toBe('{"name":"one"}')
  expect((await failure(`https://web.test:${port}/`, network))[0]).toBe("refused")
  expect(hits).toBe(0)
})

test("a name with one address inside and one outside is refused", async () => {
  const network = { ...networkOf(here), resolve: async () => ["127.0.0.1", "127.0.0.2"] }
  expect((await failure(`https://web.test:${port}/`, network))[0]).toBe("refused")
})

test("other schemes, other ports and passwords are refused", async () => {
  for (const url of [
    `http://web.test:${port}/`,
    "file:///etc/passwd",
    "gopher://web.test/",
    `https://user:password@web.test:${port}/`,
    "https://web.test:22/",
    "not a url",
  ])
    expect([url, (await failure(url))[0]]).toEqual([url, "refused"])
})

test("a document that is too long, too slow, not JSON or not there is named as such", async () => {
  const url = `https://web.test:${port}/`
  answer = (_, response) => void response.end("x".repeat(2_000))
  expect(await failure(url, networkOf(here), { ...fetchLimits, maxBytes: 1_000 })).toEqual([
    "invalid",
    "more than 1000 bytes",
  ])
  answer = (_, response) => void response.setHeader("content-type", "text/html").end("<script>")
  expect((await failure(url))[0]).toBe("invalid")
  answer = (_, response) => void response.writeHead(500).end()
  expect(await failure(url)).toEqual(["unavailable", "the server answered 500"])
  answer = (_, response) => void response.writeHead(302, { location: url }).end()
  expect(await failure(url)).toEqual(["refused", "more than 3 redirects"])
  answer = (_, response) => void response.writeHead(200, { "content-length": "5" }).write("x")
  expect(await failure(url, networkOf(here), { ...fetchLimits, timeoutMs: 300 })).toEqual([
    "unavailable",
    "no complete answer within 300 ms",
  ])
  expect(await failure(`https://nobody.test:${port}/`)).toEqual(["unavailable", "its host has no address"])
  // The certificate is of other names.
  expect((await failure(`https://other.test:${port}/`, networkOf({ "other.test": ["127.0.0.1"] })))[1]).toBe(
    "the connection failed (ERR_TLS_CERT_ALTNAME_INVALID)",
  )
})
