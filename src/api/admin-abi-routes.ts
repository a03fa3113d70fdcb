// /admin/abis: contract ABIs that operators give, for decoding. By address, or `any` for all contracts that have none of
// their own.

import type { FastifyInstance } from "fastify"
import { Type } from "typebox"
import { addAbi, removeAbi } from "../operations/keep-abis.js"
import { type AbiSummary, listAbis, readAbis, type StoredAbi } from "../queries/read-abis.js"
import { bytesOf, orNull, time } from "../queries/value-schemas.js"
import { type AdminOptions, actorOf, adminResponses } from "./admin-acts.js"
import { chosenChain, ofChain } from "./chosen-chain.js"

const subject = Type.String({ pattern: "^(any|0x[0-9a-fA-F]{40})$" })
const name = Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9 ._-]{0,99}$" })
const entry = Type.Object({}, { additionalProperties: true })
const head = { address: Type.String(), name: Type.String(), created_by: Type.String(), updated_at: time }
export interface AbiRouteOptions extends AdminOptions {
  /** Answers of this process are decoded by what there is from now on. */
  readonly abisChanged: (chain: string) => void
}

/** Some proxies have ABIs of hundreds of kilobytes. */
const bodyLimit = 1_048_576

const addressOf = (text: string): Buffer | null => (text === "any" ? null : bytesOf(text))
const headJson = ({ address, name: title, createdBy, updatedAt }: Omit<StoredAbi, "abi" | "id">) => ({
  address: address ? `0x${address.toString("hex")}` : "any",
  ...{ name: title, created_by: createdBy, updated_at: updatedAt.toISOString() },
})

export function abiRoutes(app: FastifyInstance, options: AbiRouteOptions): void {
  const common = { tags: ["admin"], security: [{ admin: [] }], querystring: ofChain }

  app.get(
    "/admin/abis",
    {
      schema: {
        ...{ ...common, summary: "The ABIs that were given, without their entries" },
        querystring: Type.Object(
          {
            ...ofChain.properties,
            limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100 })),
            cursor: Type.Optional(Type.String({ pattern: "^[0-9]{1,15}$" })),
          },
          { additionalProperties: false },
        ),
        response: adminResponses(
          Type.Object({
            chain: Type.String(),
            data: Type.Array(Type.Object({ ...head, entries: Type.Integer() })),
            next_cursor: orNull("string"),
          }),
        ),
      },
    },
    async (request) => {
      const query = request.query as { chain?: string; limit?: number; cursor?: string }
      const chain = chosenChain(options, query.chain)
      const limit = query.limit ?? 100
      const found = await listAbis(chain.app, { after: Number(query.cursor ?? 0), limit: limit + 1 })
      const shown: readonly AbiSummary[] = found.slice(0, limit)
      return {
        chain: chain.name,
        data: shown.map((one) => ({ ...headJson(one), entries: one.entries })),
        next_cursor: found.length > limit ? String(shown.at(-1)!.id) : null,
      }
    },
  )

  app.get(
    "/admin/abis/:address",
    {
      schema: {
        ...{ ...common, summary: "The ABIs by which a contract is decoded: its own first, then those for any" },
        params: Type.Object({ address: subject }),
        response: adminResponses(
          Type.Object({ chain: Type.String(), data: Type.Array(Type.Object({ ...head, abi: Type.Array(entry) })) }),
        ),
      },
    },
    async (request) => {
      const chain = chosenChain(options, (request.query as { chain?: string }).chain)
      const address = addressOf((request.params as { address: string }).address)
      const found = await readAbis(chain.app, { addresses: address ? [address] : [], limit: 100 })
      return { chain: chain.name, data: found.map((one) => ({ ...headJson(one), abi: one.abi })) }
    },
  )

  app.post(
    "/admin/abis",
    {
      bodyLimit,
      schema: {
        ...{ ...common, summary: "Adds an ABI, or replaces the one of that name" },
        body: Type.Object({ address: subject, name, abi: Type.Array(entry) }, { additionalProperties: false }),
        response: adminResponses(
          Type.Object({ chain: Type.String(), address: Type.String(), name: Type.String(), entries: Type.Integer() }),
        ),
      },
    },
    async (request) => {
      const chain = chosenChain(options, (request.query as { chain?: string }).chain)
      const { address, name: title, abi } = request.body as { address: string; name: string; abi: unknown }
      const actor = actorOf(request, options)
      const entries = await addAbi(chain, { actor, address: addressOf(address), name: title, abi })
      options.abisChanged(chain.name)
      return { chain: chain.name, address: address.toLowerCase(), name: title, entries }
    },
  )

  app.delete(
    "/admin/abis/:address/:name",
    {
      schema: {
        ...{ ...common, summary: "Removes an ABI" },
        params: Type.Object({ address: subject, name }),
        response: adminResponses(Type.Object({ chain: Type.String(), removed: Type.Boolean() })),
      },
    },
    async (request) => {
      const chain = chosenChain(options, (request.query as { chain?: string }).chain)
      const { address, name: title } = request.params as { address: string; name: string }
      await removeAbi(chain, { actor: actorOf(request, options), address: addressOf(address), name: title })
      options.abisChanged(chain.name)
      return { chain: chain.name, removed: true }
    },
  )
}
