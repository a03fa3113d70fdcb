// Measures requests by route and status, and counts what the server turns away and why. Only patterns of routes become
// labels, never what clients send.

import { STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import type { FastifyInstance } from "fastify"
import type { HttpMetrics } from "../platform/metrics.js"

declare module "fastify" {
  interface FastifyContextConfig {
    /** Its answer does not end by itself, so its time says nothing. */
    endless?: boolean
  }
  interface FastifyReply {
    /** The code of an error that a status alone does not tell. */
    refusedAs: string | undefined
  }
}

const reasons: Readonly<Record<number, string>> = {
  401: "unauthorized",
  413: "body_too_large",
  429: "rate_limited",
}

export function measureRequests(app: FastifyInstance, metrics: HttpMetrics | undefined): void {
  app.decorateReply("refusedAs", undefined)
  if (!metrics) return
  app.addHook("onResponse", (request, { statusCode, elapsedTime, refusedAs }, done) => {
    const { url: route = "none", config } = request.routeOptions
    if (!config.endless) metrics.seconds.observe({ route, status: statusCode }, elapsedTime / 1_000)
    const reason = refusedAs === "OVERLOADED" ? "overloaded" : reasons[statusCode]
    if (reason) metrics.rejections.inc({ reason })
    done()
  })
  app.server.on("drop", () => metrics.rejections.inc({ reason: "too_many_connections" }))
}

const socketFaults: Readonly<Record<string, { readonly status: number; readonly reason: string }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, reason: "timeout" },
  HPE_HEADER_OVERFLOW: { status: 431, reason: "headers_too_large" },
}

/** For what is no request: headers or bodies that are too slow or too long, and other bytes. */
export function refuseSocket(
  fault: { readonly code?: string },
  socket: Socket,
  metrics: HttpMetrics | undefined,
): void {
  // The client has gone.
  if (fault.code === "ECONNRESET" || socket.destroyed) return
  const { status, reason } = socketFaults[fault.code ?? ""] ?? { status: 400, reason: "malformed" }
  metrics?.rejections.inc({ reason })
  const body = JSON.stringify({ error: { code: "BAD_REQUEST", message: STATUS_CODES[status], details: {} } })
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: application/json`
  if (socket.writable) socket.write(`${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  socket.destroy()
}
