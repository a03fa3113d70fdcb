// What can be wrong with the HTTP answer and its connection, whatever it says.

import type { ServerResponse } from "node:http"
import { pipeline } from "node:stream/promises"
import type { SeededRandom } from "../seeded-random.js"

export interface WireContext {
  readonly response: ServerResponse
  /** The honest answer. */
  readonly body: Buffer
  readonly random: SeededRandom
  readonly hugeBodyBytes: number
  readonly dripMs: number
}

type WireFault = (context: WireContext) => void | Promise<void>

const json = { "content-type": "application/json" }
const cut = (body: Buffer, random: SeededRandom) => body.subarray(0, 1 + random.below(body.length - 1))

const status =
  (code: number, text: string, headers: Record<string, string> = {}): WireFault =>
  ({ response }) => {
    response.writeHead(code, { "content-type": "text/plain", ...headers }).end(text)
  }

const wireFaults = {
  http500: status(500, "internal server error"),
  http502: status(502, "bad gateway"),
  http429: status(429, "too many requests"),
  http429RetryAfter: status(429, "too many requests", { "retry-after": "1" }),
  htmlBody: ({ response }) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Checking your browser</title>")
  },
  emptyBody: ({ response }) => {
    response.writeHead(200, { ...json, "content-length": 0 }).end()
  },
  truncatedJson: ({ response, body, random }) => {
    response.writeHead(200, json).end(cut(body, random))
  },
  hugeBody: async ({ response, body, random, hugeBodyBytes }) => {
    // Either never JSON, or the true answer behind so much white space that nobody should wait for it.
    const padded = random.next() < 0.5
    const filling = Buffer.alloc(65_536, padded ? " " : "x")
    function* pieces() {
      for (let sent = 0; sent < hugeBodyBytes; sent += filling.length) yield filling
      if (padded) yield body
    }
    response.writeHead(200, json)
    await pipeline(pieces, response)
  },
  connectionReset: ({ response, body, random }) => {
    response.writeHead(200, { ...json, "content-length": body.length })
    response.write(cut(body, random), () => response.socket?.resetAndDestroy())
  },
  neverAnswers: () => undefined,
  slowDrip: async ({ response, body, dripMs }) => {
    const drops = 20
    const size = Math.ceil(body.length / drops)
    response.writeHead(200, { ...json, "content-length": body.length })
    for (let start = 0; start < body.length && !response.destroyed; start += size) {
      await new Promise((resolve) => setTimeout(resolve, dripMs / drops))
      response.write(body.subarray(start, start + size))
    }
    response.end()
  },
  contentLengthTooLong: ({ response, body }) => {
    response.writeHead(200, { ...json, "content-length": body.length + 100 })
    response.write(body, () => response.socket?.end())
  },
  contentLengthTooShort: ({ response, body, random }) => {
    // The rest looks like the start of another answer, so the connection ends with it.
    response.writeHead(200, { ...json, "content-length": cut(body, random).length, connection: "close" })
    response.write(body, () => response.socket?.end())
  },
} satisfies Record<string, WireFault>

export type WireFaultName = keyof typeof wireFaults
export const wireFaultNames = Object.keys(wireFaults) as readonly WireFaultName[]

export const applyWireFault = async (name: WireFaultName, context: WireContext): Promise<void> =>
  (wireFaults[name] as WireFault)(context)
