// /admin: what operators do, by the same acts as the CLI. Registered only where there is an admin token.

import type { FastifyInstance } from "fastify"
import { Type } from "typebox"
import type { Clock } from "../platform/clock.js"
import type { Logger } from "../platform/logger.js"
import { type AbiRouteOptions, abiRoutes } from "./admin-abi-routes.js"
import { actorOf, actRoute, adminResponses, answerActs } from "./admin-acts.js"
import { labelRoutes } from "./admin-label-routes.js"
import { rollbackActs } from "./admin-rollback-acts.js"
import { workerActs } from "./admin-worker-acts.js"

export interface AdminRouteOptions extends AbiRouteOptions {
  readonly clock: Clock
  readonly logger: Logger
}

export function adminRoutes(app: FastifyInstance, options: AdminRouteOptions): void {
  const { adminToken } = options.access
  if (adminToken === undefined) return
  answerActs(app)
  const schema = {
    ...{ tags: ["admin"], summary: "Who asks, and which chains this process can write to", security: [{ admin: [] }] },
    response: adminResponses(Type.Object({ actor: Type.String(), chains: Type.Array(Type.String()) })),
  }
  app.get("/admin", { schema }, async (request) => ({
    actor: actorOf(request, options),
    chains: options.operated().map(({ name }) => name),
  }))
  for (const act of [...workerActs, ...rollbackActs({ ...options, adminToken })]) actRoute(app, options, act)
  abiRoutes(app, options)
  labelRoutes(app, options)
}
