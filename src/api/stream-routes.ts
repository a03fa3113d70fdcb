// GET /v1/stream: what happens to the chains, as server-sent events. See docs/reference/http.md.

import type { FastifyInstance, FastifyRequest } from "fastify"
import { Type } from "typebox"
import { RequestError } from "../queries/request-error.js"
import type { StreamHub } from "./stream-hub.js"
import type { StreamPositions } from "./stream-reader.js"

const chainName = "[a-z][a-z0-9-]{0,30}"
const position = `${chainName}:[0-9]{1,15}`
const idPattern = new RegExp(`^${position}(,${position})*$`)
const longestId = 4_096

const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  // No proxy may compress it or wait for more of it.
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
}

export function streamRoutes(app: FastifyInstance, { hub }: { readonly hub: StreamHub }): void {
  const schema = {
    // It never ends, which no client that is made from the document expects.
    hide: true,
    querystring: Type.Object(
      {
        chain: Type.Optional(Type.String({ pattern: `^${chainName}$` })),
        last_event_id: Type.Optional(Type.String({ maxLength: longestId })),
      },
      { additionalProperties: false },
    ),
  }
  app.get("/v1/stream", { schema, exposeHeadRoute: false, config: { endless: true } }, async (request, reply) => {
    const { chain } = request.query as { chain?: string }
    const positions = positionsOf(request)
    if (chain !== undefined && positions.size > 0 && !positions.has(chain))
      throw new RequestError("BAD_REQUEST", `the Last-Event-ID is not of ${chain}`)
    await hub.open({
      chain,
      positions: chain === undefined ? positions : new Map([...positions].filter(([name]) => name === chain)),
      start: () => {
        reply.hijack()
        request.raw.socket.setNoDelay(true)
        // Those of CORS and of the limits.
        reply.raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...headers })
        reply.raw.write("retry: 1000\n\n")
        return reply.raw
      },
    })
  })
  app.addHook("preClose", () => hub.close())
}

/** A browser sends the header when it reconnects; the parameter is for the first request, where it cannot. */
function positionsOf(request: FastifyRequest): StreamPositions {
  const { last_event_id: given } = request.query as { last_event_id?: string }
  const text = request.headers["last-event-id"] ?? given
  if (text === undefined || text === "") return new Map()
  if (typeof text !== "string" || text.length > longestId || !idPattern.test(text))
    throw new RequestError("BAD_REQUEST", "the Last-Event-ID is not one of this stream")
  return new Map(
    text.split(",").map((one): [string, number] => {
      const [chain, sequence] = one.split(":") as [string, string]
      return [chain, Number(sequence)]
    }),
  )
}
