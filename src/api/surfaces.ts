// What each route belongs to: that decides who may use it and with which methods. The server does not start with a route
// that declares nothing, so that a new one cannot be open by accident.

import type { FastifyInstance, FastifyRequest, RouteOptions } from "fastify"
import { RequestError } from "../queries/request-error.js"
import { type Access, hasAdminToken, hasUnknownKey } from "./access.js"

/** With the methods that its routes may have. */
export const surfaces = {
  /** About the process, for probes and Prometheus: never limited. */
  process: ["GET", "HEAD"],
  /** Data of chains. */
  data: ["GET", "HEAD"],
  /** Data, for protocols that ask by POST. */
  query: ["GET", "HEAD", "POST"],
  docs: ["GET", "HEAD"],
  /** For people, below all paths that no other route has. */
  pages: ["GET", "HEAD"],
  /** What operators see. */
  ops: ["GET", "HEAD"],
  /** What operators do. */
  admin: ["GET", "HEAD", "POST", "DELETE"],
  /** Answers with headers alone. */
  preflight: ["OPTIONS"],
} as const satisfies Record<string, readonly string[]>

export type Surface = keyof typeof surfaces

declare module "fastify" {
  interface FastifyContextConfig {
    surface?: Surface
  }
}

/** Of all routes that this instance registers from now on, and of those in plugins below it. */
export function declareSurface(app: FastifyInstance, surface: Surface): void {
  app.addHook("onRoute", (route) => {
    route.config = { ...route.config, surface }
  })
}

export const surfaceOf = (request: FastifyRequest): Surface | undefined => request.routeOptions.config.surface

/** Call before any route is registered. */
export function guardSurfaces(app: FastifyInstance, access: Access): void {
  const routes: RouteOptions[] = []
  app.addHook("onRoute", (route) => {
    // The plugin for CORS adds it, wherever it is registered.
    if (route.method === "OPTIONS" && route.url === "*") route.config = { ...route.config, surface: "preflight" }
    routes.push(route)
  })
  app.addHook("onReady", async () => {
    for (const route of routes) assertDeclared(route)
  })
  // After the limits, before the body is read.
  app.addHook("preParsing", (request, reply, payload, done) => {
    const refusal = refusalFor(request, access)
    if (refusal?.needsToken) reply.header("www-authenticate", "Bearer")
    if (refusal) done(new RequestError("UNAUTHORIZED", refusal.message))
    else done(null, payload)
  })
}

function refusalFor(request: FastifyRequest, access: Access): { message: string; needsToken: boolean } | undefined {
  const surface = surfaceOf(request)
  if (surface === undefined || surface === "preflight") return undefined
  const needsToken = surface === "admin" || (surface === "ops" && !access.opsIsPublic)
  if (needsToken && !hasAdminToken(request, access))
    return { message: "this needs the admin token: authorization: Bearer …", needsToken }
  if (surface !== "process" && hasUnknownKey(request, access))
    return { message: "the API key is not known", needsToken: false }
  return undefined
}

function assertDeclared({ method, url, config }: RouteOptions): void {
  const surface = config?.surface
  const methods = [method].flat()
  const named = `${methods.join(", ")} ${url}`
  if (surface === undefined) {
    throw new Error(
      `${named} declares no surface: call declareSurface (src/api/surfaces.ts) in the plugin that adds it`,
    )
  }
  const allowed: readonly string[] = surfaces[surface]
  if (!methods.every((one) => allowed.includes(one)))
    throw new Error(`${named} is of the surface ${surface}, which takes ${allowed.join(", ")} only`)
}
