// /v1/{chain}/ops: what operators see of a chain, read-only, from its databases.

import type { FastifyInstance } from "fastify"
import { Type } from "typebox"
import { opsAudit } from "../queries/ops-audit.js"
import { opsErrors } from "../queries/ops-errors.js"
import { opsDeadGroups, opsLeases } from "../queries/ops-leases.js"
import type { OpsList, OpsPageRequest, OpsValues } from "../queries/ops-list.js"
import { opsRollbacks } from "../queries/ops-rollbacks.js"
import { opsWorkers } from "../queries/ops-workers.js"
import type { ServedChain } from "../queries/served-chain.js"
import { orNull } from "../queries/value-schemas.js"
import { params } from "./answer-schemas.js"
import { chainOf } from "./data-routes.js"
import { opsMapRoutes } from "./ops-map-routes.js"
import { opsProcesses, opsProviders } from "./ops-processes.js"
import { opsResponses } from "./ops-responses.js"
import { opsPartitions, opsStore } from "./ops-store.js"

export interface OpsRouteOptions {
  readonly chains: () => readonly ServedChain[]
}

export const opsLists: readonly OpsList[] = [
  ...[opsLeases, opsDeadGroups, opsErrors, opsAudit, opsRollbacks],
  ...[opsWorkers, opsProcesses, opsProviders, opsStore, opsPartitions],
]

const paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ pattern: "^[A-Za-z0-9_-]{1,1000}$" })),
}
const meta = Type.Object({ chain: Type.String(), next_cursor: orNull("string") })

export function opsRoutes(app: FastifyInstance, { chains }: OpsRouteOptions): void {
  for (const list of opsLists) {
    const schema = {
      ...{ tags: ["ops"], summary: list.summary, params: params() },
      querystring: Type.Object({ ...list.query, ...paging }, { additionalProperties: false }),
      response: opsResponses(Type.Object({ data: Type.Array(Type.Object(list.row)), meta })),
    }
    app.get(`/v1/:chain/ops${list.path}`, { schema }, async (request) => {
      const chain = chainOf(chains, (request.params as { chain: string }).chain)
      const { limit = 50, cursor, ...values } = request.query as OpsValues & { limit?: number; cursor?: string }
      return answer(chain, list, { values, limit, cursor })
    })
  }
  opsMapRoutes(app, { chains })
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
