// /v1/{chain}/ops: what operators see of a chain, read-only, from its databases.

import type { FastifyInstance } from "fastify"
import { type TSchema, Type } from "typebox"
import { opsAudit } from "../queries/ops-audit.js"
import { opsErrors } from "../queries/ops-errors.js"
import { opsDeadGroups, opsLeases } from "../queries/ops-leases.js"
import type { OpsList, OpsPageRequest, OpsValues } from "../queries/ops-list.js"
import { opsRollbacks } from "../queries/ops-rollbacks.js"
import { opsWorkers } from "../queries/ops-workers.js"
import { RequestError } from "../queries/request-error.js"
import type { SeriesRecorder } from "../queries/series-recorder.js"
import type { ServedChain } from "../queries/served-chain.js"
import { orNull, wholeOrNull } from "../queries/value-schemas.js"
import { params, problemSchema } from "./answer-schemas.js"
import { chainOf } from "./data-routes.js"
import { opsProcesses, opsProviders } from "./ops-processes.js"
import { opsPartitions, opsStore } from "./ops-store.js"

export interface OpsRouteOptions {
  readonly chains: () => readonly ServedChain[]
  readonly series?: (chain: string) => SeriesRecorder | undefined
}

export const opsLists: readonly OpsList[] = [
  ...[opsLeases, opsDeadGroups, opsErrors, opsAudit, opsRollbacks],
  ...[opsWorkers, opsProcesses, opsProviders, opsStore, opsPartitions],
]

const refusals = {
  400: "A parameter is not valid, or the cursor is not of this list",
  401: "The admin token is needed, or the API key is not known",
  404: "There is no such chain",
  422: "The answer would take too long",
  429: "Too many requests",
  503: "A database cannot be reached, or a rollback is being finished",
}
const responses = (data: TSchema) => ({
  200: { description: "The answer", ...data },
  ...Object.fromEntries(
    Object.entries(refusals).map(([status, description]) => [status, { description, ...problemSchema }]),
  ),
})

const paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ pattern: "^[A-Za-z0-9_-]{1,1000}$" })),
}
const meta = Type.Object({ chain: Type.String(), next_cursor: orNull("string") })

export function opsRoutes(app: FastifyInstance, { chains, series }: OpsRouteOptions): void {
  for (const list of opsLists) {
    const schema = {
      ...{ tags: ["ops"], summary: list.summary, params: params() },
      querystring: Type.Object({ ...list.query, ...paging }, { additionalProperties: false }),
      response: responses(Type.Object({ data: Type.Array(Type.Object(list.row)), meta })),
    }
    app.get(`/v1/:chain/ops${list.path}`, { schema }, async (request) => {
      const chain = chainOf(chains, (request.params as { chain: string }).chain)
      const { limit = 50, cursor, ...values } = request.query as OpsValues & { limit?: number; cursor?: string }
      return answer(chain, list, { values, limit, cursor })
    })
  }

  const schema = {
    ...{
      tags: ["ops"],
      summary: "How far the chain was over the last hour, as this process saw it",
      params: params(),
    },
    querystring: Type.Object(
      { points: Type.Optional(Type.Integer({ minimum: 1, maximum: 360, default: 120 })) },
      { additionalProperties: false },
    ),
    response: responses(seriesSchema),
  }
  app.get("/v1/:chain/ops/series", { schema }, async (request) => {
    const { name } = chainOf(chains, (request.params as { chain: string }).chain)
    const recorder = series?.(name)
    if (!recorder) throw new RequestError("NOT_FOUND", "this process keeps no series of that chain")
    return recorder.series((request.query as { points?: number }).points ?? 120)
  })
}

async function answer(
  chain: ServedChain,
  list: OpsList,
  { values, limit, cursor }: Omit<OpsPageRequest, "after"> & { readonly cursor: string | undefined },
) {
  const cursors = await chain.cursors()
  const name = JSON.stringify(["ops", chain.name, list.path, Object.entries(values).sort()])
  const after = cursor === undefined ? undefined : cursors.decode(name, cursor).key
  const found = await list.read(chain, { values, limit, after })
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  const next =
    last && found.length > limit ? cursors.encode(name, { epoch: 0, height: 0, key: last.key.map(String) }) : null
  return { data: rows.map(({ row }) => row), meta: { chain: chain.name, next_cursor: next } }
}

const columns = (item: TSchema): TSchema => Type.Array(item)
const seriesSchema = Type.Object({
  chain: Type.String(),
  interval_ms: Type.Integer(),
  at: columns(Type.String({ format: "date-time" })),
  head_height: columns(orNull("string")),
  workers: Type.Array(
    Type.Object({
      worker: Type.String(),
      watermark_height: columns(orNull("string")),
      lag_blocks: columns(wholeOrNull),
      blocks_per_second: columns(orNull("number")),
    }),
  ),
})
