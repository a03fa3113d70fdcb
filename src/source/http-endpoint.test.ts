import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { connect } from "node:net"
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib"
import { afterEach, expect, test } from "vitest"
import { listen } from "../../test/support/listen.js"
import { systemClock } from "../platform/clock.js"
import { BufferPool } from "./buffer-pool.js"
import { HttpEndpoint, type HttpEndpointOptions } from "./http-endpoint.js"

const signal = new AbortController().signal
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

interface Seen {
  readonly headers: IncomingMessage["headers"]
  readonly method: string | undefined
  readonly url: string | undefined
  readonly body: string
}

async function serve(answer: (seen: Seen, response: ServerResponse) => void) {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { headers, method, url } = request
      seen.push({ headers, method, url, body: Buffer.concat(chunks).toString() })
      answer(seen.at(-1)!, response)
    })
  })
  const listening = await listen(server)
  closers.push(listening.stop)
  return { server, seen, ...listening, port: Number(new URL(listening.url).port) }
}

function post(url: string, options: Partial<HttpEndpointOptions> = {}, limit = 1_000_000) {
  const endpoint = new HttpEndpoint(
    { clock: systemClock },
    { url, connections: 4, maxResponseBytes: limit, buffers: new BufferPool(1 << 20), ...options },
  )
  closers.push(() => endpoint.close())
  return endpoint.post("ping", { timeoutMs: 60_000, signal })
}

const text = "hello ".repeat(1_000)
test.each<[string, (body: string) => Buffer]>([
  ["gzip", gzipSync],
  ["br", brotliCompressSync],
  ["deflate", deflateSync],
  ["identity", Buffer.from],
])("an answer in %s is read", async (encoding, encode) => {
  const node = await serve((_seen, response) =>
    response.writeHead(200, { "content-encoding": encoding }).end(encode(text)),
  )
  const { body, status } = await post(node.url, { compressed: true })
  expect([status, body.toString()]).toEqual([200, text])
  expect(node.seen[0]!.headers["accept-encoding"]).toBe("gzip, br")
})

test("a node on this machine is not asked to compress, unless that is wanted", async () => {
  const node = await serve((_seen, response) => response.end("x"))
  await post(node.url)
  expect(node.seen[0]!.headers["accept-encoding"]).toBeUndefined()
})

test.each<[string, (body: Buffer) => Buffer]>([
  ["gzip", gzipSync],
  ["br", (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
])("a small answer in %s that stands for a large one does not pass the limit", async (encoding, encode) => {
  const bomb = encode(Buffer.alloc(5_000_000))
  expect(bomb.length).toBeLessThan(100_000)
  const node = await serve((_seen, response) => response.writeHead(200, { "content-encoding": encoding }).end(bomb))
  await expect(post(node.url)).rejects.toMatchObject({ code: "RPC_RESPONSE_TOO_LARGE" })
})

test.each(["gzip", "zstd", "constructor"])(
  "an answer that is not the %s it claims to be is a bad one",
  async (encoding) => {
    const node = await serve((_seen, response) => response.writeHead(200, { "content-encoding": encoding }).end("{}"))
    await expect(post(node.url)).rejects.toMatchObject({ code: "RPC_BAD_RESPONSE" })
  },
)

const secrets = { headers: { "x-api-key": "key-0123456789" } }
const withUser = (url: string) => url.replace("http://", "http://user:password-0123@")

test.each([301, 302, 307, 308])(
  "HTTP %i is followed on the same host with all headers, as a POST with its body",
  async (status) => {
    const node = await serve(({ url }, response) => {
      if (url === "/v2/key") response.writeHead(status, { location: "/moved?a=b" }).end()
      else response.end("done")
    })
    const { body } = await post(`${withUser(node.url)}/v2/key`, secrets)
    expect(body.toString()).toBe("done")
    expect(node.seen[1]).toMatchObject({ method: "POST", url: "/moved?a=b", body: "ping" })
    expect(node.seen[1]!.headers).toMatchObject({ "x-api-key": "key-0123456789", authorization: /^Basic / })
  },
)

test("another host, or another port of the same, gets no header that could be a secret", async () => {
  const other = await serve((_seen, response) => response.end("done"))
  const node = await serve((_seen, response) => response.writeHead(307, { location: `${other.url}/rpc` }).end())
  expect((await post(`${withUser(node.url)}/v2/key`, secrets)).body.toString()).toBe("done")
  expect(node.seen[0]!.headers["x-api-key"]).toBe("key-0123456789")
  expect(JSON.stringify(other.seen)).not.toMatch(/0123|Basic|user|v2/)
})

test("redirects are followed three times", async () => {
  const node = await serve(({ url }, response) => {
    const n = Number(url!.slice(1))
    if (n > 0) response.writeHead(308, { location: `/${n - 1}` }).end()
    else response.end("done")
  })
  expect((await post(`${node.url}/3`)).body.toString()).toBe("done")
  await expect(post(`${node.url}/4`)).rejects.toMatchObject({ code: "RPC_BAD_RESPONSE" })
  const nowhere = await serve((_seen, response) => response.writeHead(302, { location: "ftp://x/" }).end())
  await expect(post(nowhere.url)).rejects.toMatchObject({ code: "RPC_BAD_RESPONSE" })
})

/** A proxy that tunnels to wherever it was told, by port. */
async function serveProxy() {
  const asked: { target: string | undefined; authorization: string | undefined }[] = []
  const proxy = await serve((_seen, response) => response.writeHead(500).end())
  proxy.server.on("connect", (request, socket) => {
    asked.push({ target: request.url, authorization: request.headers["proxy-authorization"] })
    const upstream = connect(Number(request.url!.split(":")[1]), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n")
      upstream.pipe(socket).pipe(upstream)
    })
    upstream.on("error", () => socket.destroy())
    socket.on("error", () => upstream.destroy())
    closers.push(async () => {
      upstream.destroy()
      socket.destroy()
    })
  })
  return { ...proxy, asked }
}

test("a node is reached through a proxy, unless it is exempt or on this machine", async () => {
  const node = await serve((_seen, response) => response.end("done"))
  const proxy = await serveProxy()
  const settings = { http: withUser(proxy.url), https: undefined, no: "direct.test, other.test" }
  const { body } = await post(`http://node.test:${node.port}/rpc`, { proxy: settings, ...secrets })
  expect(body.toString()).toBe("done")
  expect(node.seen[0]).toMatchObject({ url: "/rpc", headers: { "x-api-key": "key-0123456789" } })
  expect(proxy.asked).toEqual([{ target: `node.test:${node.port}`, authorization: expect.stringMatching(/^Basic /) }])
  await post(node.url, { proxy: settings })
  await expect(post(`http://direct.test:${node.port}`, { proxy: settings })).rejects.toMatchObject({
    code: "RPC_UNREACHABLE",
  })
  expect(proxy.asked).toHaveLength(1)
})
