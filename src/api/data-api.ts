// The data API as one plugin: its document, its limits and its routes.

import cors from "@fastify/cors"
import rateLimit from "@fastify/rate-limit"
import swagger from "@fastify/swagger"
import swaggerUi from "@fastify/swagger-ui"
import type { FastifyInstance } from "fastify"
import type { Access } from "./access.js"
import { type AdminRouteOptions, adminRoutes } from "./admin-routes.js"
import { chainRoutes } from "./chain-routes.js"
import { type ClientLimits, clientOf } from "./client-limits.js"
import { CsvExports } from "./csv-export.js"
import { type DataRouteOptions, dataRoutes } from "./data-routes.js"
import { type EtherscanOptions, etherscanRoutes } from "./etherscan/etherscan-routes.js"
import { type GraphqlRouteOptions, graphqlRoutes } from "./graphql/graphql-routes.js"
import { type ItemMetadataOptions, itemMetadataRoutes } from "./item-metadata/item-metadata-routes.js"
import { opsRoutes } from "./ops-routes.js"
import type { StreamHub } from "./stream-hub.js"
import { streamRoutes } from "./stream-routes.js"
import { declareSurface, surfaceOf } from "./surfaces.js"
import { describeTables, tableRoutes } from "./table-routes.js"

export interface DataApiOptions extends DataRouteOptions, ClientLimits {
  readonly access: Access
  /** Only where this process can write. */
  readonly admin?: Omit<AdminRouteOptions, "abisChanged" | "access">
  readonly streams?: StreamHub
  readonly etherscan?: EtherscanOptions
  readonly itemMetadata?: ItemMetadataOptions
  readonly graphql?: Omit<GraphqlRouteOptions, "chains">
  readonly version: string
}

const minute = 60_000
/** What pages of the allowed origins may read. */
const forOtherPages = /^\/(v1|v2|api|graphql|openapi\.json)\b/

export async function dataApi(app: FastifyInstance, options: DataApiOptions): Promise<void> {
  const { version, access, admin, corsOrigins, requestsPerMinute } = options
  await app.register(swagger, {
    // The routes about the process are no part of it.
    hideUntagged: true,
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Tidemark",
        version,
        description: "What is stored and derived of a chain, and how far it is complete.",
      },
      components: { securitySchemes: { admin: { type: "http", scheme: "bearer" } } },
    },
  })
  if (corsOrigins.length > 0) {
    await app.register(cors, {
      delegator: async ({ url }: { readonly url: string }) => ({
        origin: forOtherPages.test(url) ? [...corsOrigins] : false,
        methods: ["GET", "HEAD", "POST"],
        exposedHeaders: ["x-tidemark-watermark", "x-tidemark-partial", "x-tidemark-gaps"],
      }),
    })
  }
  if (requestsPerMinute > 0) {
    await app.register(rateLimit, {
      max: requestsPerMinute,
      timeWindow: minute,
      // Bounds the memory of the counters.
      cache: 10_000,
      keyGenerator: (request) => clientOf(request, access),
      // Probes must not be turned away.
      allowList: (request) => surfaceOf(request) === "process",
      errorResponseBuilder: (_request, { after }) =>
        Object.assign(new Error(`too many requests: try again in ${after}`), {
          statusCode: 429,
          code: "RATE_LIMITED",
        }),
    })
  }
  await app.register(async (routes) => {
    declareSurface(routes, "data")
    chainRoutes(routes, options)
    const exports = new CsvExports()
    dataRoutes(routes, { ...options, exports })
    tableRoutes(routes, { ...options, exports })
    if (options.itemMetadata) itemMetadataRoutes(routes, { ...options, ...options.itemMetadata })
    if (options.streams) streamRoutes(routes, { hub: options.streams })
  })
  const { etherscan } = options
  if (etherscan) {
    await app.register(async (routes) => {
      declareSurface(routes, "query")
      await etherscanRoutes(routes, { ...options, ...etherscan })
    })
  }
  const { chains, graphql } = options
  if (graphql) {
    await app.register(async (routes) => {
      declareSurface(routes, "query")
      graphqlRoutes(routes, { ...graphql, chains })
    })
  }
  if (access.opsIsPublic || access.adminToken !== undefined) {
    await app.register(async (routes) => {
      declareSurface(routes, "ops")
      opsRoutes(routes, options)
    })
  }
  if (admin) {
    await app.register(async (routes) => {
      declareSurface(routes, "admin")
      adminRoutes(routes, {
        ...{ access, ...admin },
        abisChanged: (name) =>
          chains()
            .find((chain) => chain.name === name)
            ?.abis.forget(),
      })
    })
  }
  await app.register(async (routes) => {
    declareSurface(routes, "docs")
    routes.get("/openapi.json", { schema: { hide: true } }, async () =>
      describeTables(app.swagger(), options.chains()),
    )
    // Its pages load their own scripts and styles, and nothing else.
    await routes.register(swaggerUi, { routePrefix: "/docs", staticCSP: true })
  })
}
