// /admin/labels: names that operators give to addresses, shown with accounts and found by the search.

import type { FastifyInstance } from "fastify"
import { Type } from "typebox"
import { addLabels, removeLabel } from "../operations/keep-labels.js"
import { listLabels } from "../queries/read-labels.js"
import { addressParam, bytesOf, orNull, time } from "../queries/value-schemas.js"
import { type AdminOptions, actorOf, adminResponses } from "./admin-acts.js"
import { chosenChain, ofChain } from "./chosen-chain.js"

const mostAtOnce = 1_000
const bodyLimit = 524_288
const given = Type.Unsafe<Readonly<Record<string, string>>>({
  type: "object",
  minProperties: 1,
  maxProperties: mostAtOnce,
  propertyNames: { pattern: "^0x[0-9a-fA-F]{40}$" },
  additionalProperties: { type: "string", minLength: 1, maxLength: 100 },
})

export function labelRoutes(app: FastifyInstance, options: AdminOptions): void {
  const common = { tags: ["admin"], security: [{ admin: [] }], querystring: ofChain }

  app.get(
    "/admin/labels",
    {
      schema: {
        ...{ ...common, summary: "The labels that were given, by address" },
        querystring: Type.Object(
          {
            ...ofChain.properties,
            limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100 })),
            cursor: Type.Optional(addressParam),
          },
          { additionalProperties: false },
        ),
        response: adminResponses(
          Type.Object({
            chain: Type.String(),
            data: Type.Array(
              Type.Object({
                address: Type.String(),
                label: Type.String(),
                created_by: Type.String(),
                updated_at: time,
              }),
            ),
            next_cursor: orNull("string"),
          }),
        ),
      },
    },
    async (request) => {
      const { chain: name, limit = 100, cursor = "0x" } = request.query as Record<string, string> & { limit?: number }
      const chain = chosenChain(options, name)
      const found = await listLabels(chain.app, { after: bytesOf(cursor), limit: limit + 1 })
      const data = found.slice(0, limit).map(({ address, label, createdBy, updatedAt }) => ({
        ...{ address: `0x${address.toString("hex")}`, label },
        ...{ created_by: createdBy, updated_at: updatedAt.toISOString() },
      }))
      return { chain: chain.name, data, next_cursor: found.length > limit ? data.at(-1)!.address : null }
    },
  )

  app.post(
    "/admin/labels",
    {
      bodyLimit,
      schema: {
        ...{ ...common, summary: "Gives labels to addresses, in the place of those that they have" },
        body: Type.Object({ labels: given }, { additionalProperties: false }),
        response: adminResponses(Type.Object({ chain: Type.String(), given: Type.Integer(), total: Type.Integer() })),
      },
    },
    async (request) => {
      const chain = chosenChain(options, (request.query as { chain?: string }).chain)
      const entries = Object.entries((request.body as { labels: Record<string, string> }).labels)
      const labels = entries.map(([address, label]) => ({ address: bytesOf(address), label }))
      const total = await addLabels(chain, { actor: actorOf(request, options), labels })
      return { chain: chain.name, given: entries.length, total }
    },
  )

  app.delete(
    "/admin/labels/:address",
    {
      schema: {
        ...{ ...common, summary: "Removes the label of an address" },
        params: Type.Object({ address: addressParam }),
        response: adminResponses(Type.Object({ chain: Type.String(), removed: Type.Boolean() })),
      },
    },
    async (request) => {
      const chain = chosenChain(options, (request.query as { chain?: string }).chain)
      const { address } = request.params as { address: string }
      await removeLabel(chain, { actor: actorOf(request, options), address: bytesOf(address) })
      return { chain: chain.name, removed: true }
    },
  )
}
