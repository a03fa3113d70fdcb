// The HTTP server of a process: bounded in sockets, time and body. It never reveals more of an error than its code.

import type { AddressInfo } from "node:net"
import { type FastifyError, type FastifyInstance, fastify } from "fastify"
import { describeError, IndexerError } from "../platform/errors.js"
import type { Logger } from "../platform/logger.js"
import type { HttpMetrics } from "../platform/metrics.js"
import { type Access, noAccess } from "./access.js"
import { refuseOtherMethods } from "./allowed-methods.js"
import { measureRequests, refuseSocket } from "./measure-requests.js"
import { pageRoutes, rootPage } from "./page-routes.js"
import { refusalOf } from "./refusal.js"
import { type StatusRouteOptions, statusRoutes } from "./status-routes.js"
import { declareSurface, guardSurfaces } from "./surfaces.js"
import type { WebPages } from "./web-pages.js"

export interface HttpServerOptions extends Omit<StatusRouteOptions, "maxHeadAgeMs"> {
  readonly host: string
  readonly port: number
  /** Without the role `serve`: takes a free port when this one is taken, and logs it. */
  readonly anyPort: boolean
  readonly logger: Logger
  readonly maxHeadAgeMs?: number
  /** Without it the process answers about itself only. */
  readonly access?: Access
  /** Adds what only the role `serve` answers. */
  readonly plugin?: (app: FastifyInstance) => Promise<void>
  /** For people; without them every answer is for programs. */
  readonly pages?: WebPages
  /** Open streams hold their connections; they come on top. */
  readonly maxStreams?: number
  readonly httpMetrics?: HttpMetrics
  readonly timeouts?: SocketTimeouts
}

/** How long a client may take to send its headers, and all of its request. */
interface SocketTimeouts {
  readonly headersMs: number
  readonly requestMs: number
  /** How often sockets are looked at. */
  readonly checkMs: number
}

export interface RunningHttpServer {
  readonly url: string
  readonly port: number
  stop(): Promise<void>
}

const maxConnections = 1_000
const bodyLimitBytes = 64 * 1_024
const closeWithinMs = 2_000
const usualTimeouts: SocketTimeouts = { headersMs: 5_000, requestMs: 10_000, checkMs: 1_000 }

export async function startHttpServer(options: HttpServerOptions): Promise<RunningHttpServer> {
  const logger = options.logger.child({ service: "http-server" })
  const access = options.access ?? noAccess
  const app = createApp(logger, access, options)
  app.server.maxConnections = maxConnections + (options.maxStreams ?? 0)
  const taken = new Set<string>()
  app.addHook("onRoute", ({ url }) => void taken.add(url.split("/")[1]!))
  await options.plugin?.(app)
  const { pages } = options
  await app.register(async (routes) => {
    declareSurface(routes, "process")
    statusRoutes(routes, { maxHeadAgeMs: 60_000, ...options, ...(pages && { rootPage: rootPage(pages) }) })
  })
  if (pages) {
    await app.register(async (routes) => {
      declareSurface(routes, "pages")
      pageRoutes(routes, { pages, taken })
    })
  }
  await listen(app, { ...options, logger })
  const { port } = app.server.address() as AddressInfo
  const url = `http://${urlHost(options.host)}:${port}`
  logger.info({ url }, "listening")
  return { url, port, stop: () => stop(app, options) }
}

type AppOptions = Pick<HttpServerOptions, "httpMetrics" | "timeouts">

function createApp(
  logger: Logger,
  access: Access,
  { httpMetrics, timeouts = usualTimeouts }: AppOptions,
): FastifyInstance {
  const { trustedProxies } = access
  const app = fastify({
    // By address, never by a number of hops: a client can add hops of its own.
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    bodyLimit: bodyLimitBytes,
    requestTimeout: timeouts.requestMs,
    connectionTimeout: 60_000,
    keepAliveTimeout: 10_000,
    forceCloseConnections: "idle",
    // What arrives on a connection that is still open is answered, and the connection is closed after it.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: true },
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkMs,
      maxHeaderSize: 16 * 1_024,
    },
    clientErrorHandler: (fault, socket) => refuseSocket(fault, socket, httpMetrics),
    exposeHeadRoutes: true,
    ajv: { customOptions: { removeAdditional: false, coerceTypes: true, allErrors: false } },
  })
  measureRequests(app, httpMetrics)
  guardSurfaces(app, access)
  const refuseMethod = refuseOtherMethods(app, (message) => problem("METHOD_NOT_ALLOWED", message))
  // Hooks of every request call back: a promise for each of them costs more than what they do.
  app.addHook("onSend", (_request, reply, payload, done) => {
    for (const [name, value] of defaultHeaders) if (!reply.hasHeader(name)) reply.header(name, value)
    // A rate limit knows better when to ask again.
    if (reply.statusCode === 429 && !reply.hasHeader("retry-after")) reply.header("retry-after", "1")
    done(null, payload)
  })
  app.setNotFoundHandler((request, reply) => {
    // The pages take every path, and leave those of others.
    if (refuseMethod(request, reply)) return reply
    const path = request.url.split("?", 1)[0]!.slice(0, 200)
    return reply.code(404).send(problem("NOT_FOUND", `there is no ${request.method} ${path}`))
  })
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const refusal = refusalOf(error)
    reply.refusedAs = refusal?.code
    if (refusal) return reply.code(refusal.status).send(problem(refusal.code, refusal.message, refusal.details))
    logger.error({ error }, "a request failed")
    return reply.code(500).send(problem("INTERNAL", "this request failed; the log says why"))
  })
  return app
}

/** A surface that needs others (the documentation's pages, what is final) sets its own. */
const defaultHeaders = Object.entries({
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "cache-control": "no-store",
})

const problem = (code: string, message: string, details: Readonly<Record<string, unknown>> = {}) => ({
  error: { code, message, details },
})

async function listen(
  app: FastifyInstance,
  { host, port, anyPort, logger }: { host: string; port: number; anyPort: boolean; logger: Logger },
): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "EADDRINUSE" && anyPort) {
      logger.info({ port }, "the port is taken; taking a free one instead")
      await app.listen({ host, port: 0 })
      return
    }
    throw listenError(error, { host, port })
  }
}

function listenError(cause: unknown, { host, port }: { host: string; port: number }): IndexerError {
  if ((cause as NodeJS.ErrnoException).code === "EADDRINUSE") {
    return new IndexerError(
      "PORT_IN_USE",
      `Port ${port} on ${host} is taken by another process. Stop that one, or choose another port with --port or PORT ` +
        "(0 takes a free one).",
      { cause },
    )
  }
  return new IndexerError(
    "CONFIG_INVALID",
    `Cannot listen on ${host}:${port} (${describeError(cause)}). Choose another address with HOST and PORT.`,
    { cause },
  )
}

/** Waits for responses in progress, but not for long: a slow client must not keep the process. */
async function stop(app: FastifyInstance, { clock }: Pick<HttpServerOptions, "clock">): Promise<void> {
  const closed = new AbortController()
  const late = clock.sleep(closeWithinMs, closed.signal).then(() => app.server.closeAllConnections())
  await app.close()
  closed.abort()
  await late
}

const urlHost = (host: string): string => {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1"
  return host.includes(":") ? `[${host}]` : host
}
