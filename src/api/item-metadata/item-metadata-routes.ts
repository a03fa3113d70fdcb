// /v1/{chain}/collections/{contract}/items/{item}/metadata: what the item's document says. The contract's author chose its
// URI and whoever has the server chose its content, so both are hostile until shown otherwise.

import type { FastifyInstance } from "fastify"
import { Type } from "typebox"
import type { Clock } from "../../platform/clock.js"
import { readScope } from "../../queries/answer-scope.js"
import type { ItemUris } from "../../queries/item-uris.js"
import type { NodeCalls } from "../../queries/node-calls.js"
import { RequestError } from "../../queries/request-error.js"
import type { ServedChain } from "../../queries/served-chain.js"
import { addressParam, amountParam, orNull } from "../../queries/value-schemas.js"
import type { Access } from "../access.js"
import { params, responses } from "../answer-schemas.js"
import { clientOf } from "../client-limits.js"
import { chainOf } from "../data-routes.js"
import { NodeBudget } from "../node-budget.js"
import { DocumentError, type PublicNetwork } from "./fetch-public.js"
import { type ItemMetadata, itemMetadataOf } from "./item-metadata.js"
import { KeptAnswers } from "./kept-answers.js"
import { type Gateways, readDocument } from "./read-document.js"

export interface ItemMetadataOptions {
  /** Otherwise the route says that it is off, and fetches nothing. */
  readonly isOn: boolean
  readonly urisOf: (chain: ServedChain) => ItemUris
  readonly nodeOf: (chain: ServedChain) => NodeCalls | undefined
  /** Of each client; answers that are kept cost none. */
  readonly nodeRequestsPerMinute: number
  readonly gateways: Gateways
  readonly clock: Clock
  /** In tests only. */
  readonly network?: PublicNetwork
}

type Deps = ItemMetadataOptions & { readonly access: Access; readonly chains: () => readonly ServedChain[] }

const statuses = ["ok", "off", "none", "refused", "unavailable", "invalid"] as const

interface Found {
  readonly status: (typeof statuses)[number]
  readonly message: string | null
  readonly uri: string | null
  readonly fetched_at: string | null
  readonly metadata: ItemMetadata | null
}

const answerSchema = Type.Object({
  data: Type.Object({
    status: Type.Enum([...statuses]),
    message: orNull("string"),
    uri: orNull("string"),
    fetched_at: orNull("string"),
    metadata: Type.Union([
      Type.Null(),
      Type.Object({
        name: orNull("string"),
        description: orNull("string"),
        image: orNull("string"),
        external_url: orNull("string"),
        attributes: Type.Array(Type.Object({ trait: orNull("string"), value: Type.String() })),
      }),
    ]),
  }),
})

const minute = 60_000
/** A document that is there changes rarely; a server that is down may be back soon. */
const keepMs = ({ status }: Found): number => (status === "ok" || status === "none" ? 60 * minute : minute)
/** Shown with the answer. A data: URI is the document itself. */
const longestUri = 2_000

export function itemMetadataRoutes(app: FastifyInstance, deps: Deps): void {
  const { isOn, urisOf, clock, nodeOf, chains, access } = deps
  const budget = new NodeBudget(clock, deps.nodeRequestsPerMinute)
  const kept = new KeptAnswers<Found>({ clock, most: 1_000, keepMs, atOnce: 4 })
  const closing = new AbortController()
  app.addHook("preClose", async () => closing.abort(new Error("the server stops")))
  const schema = {
    tags: ["collections"],
    summary: "What the document of an item says (name, image, attributes), fetched where NFT_METADATA is set",
    params: params({ contract: addressParam, item: amountParam }),
    querystring: Type.Object({}, { additionalProperties: false }),
    response: responses(answerSchema),
  }
  app.get("/v1/:chain/collections/:contract/items/:item/metadata", { schema }, async (request, reply) => {
    const { chain: name, contract: given, item } = request.params as Record<"chain" | "contract" | "item", string>
    const chain = chainOf(chains, name)
    const contract = given.toLowerCase()
    const uris = urisOf(chain)
    reply.header("cache-control", "no-store")
    const isKnown = await chain.readPrepared("app", async (tx) => {
      const scope = await readScope(tx, { store: "app", workers: uris.workers })
      return scope?.isKnown === true && uris.isKnown(tx, { contract, item })
    })
    if (!isKnown) throw new RequestError("NOT_FOUND", "there is no such item in what is covered")
    const node = nodeOf(chain)
    if (!isOn) return { data: without("off", "metadata is not fetched here: NFT_METADATA is not set") }
    if (!node) return { data: without("off", "this process has no node to ask for the item's URI") }
    const found = kept.get(`${name} ${contract} ${BigInt(item)}`, () => {
      if (!budget.take(clientOf(request, access)))
        throw new RequestError("RATE_LIMITED", "too many documents are asked for: try again in a minute")
      return find({ contract, item }, { ...deps, uris, node, signal: closing.signal })
    })
    return { data: await found }
  })
}

const without = (status: Found["status"], message: string | null): Found => ({
  ...{ status, message, uri: null, fetched_at: null, metadata: null },
})

type Asking = Pick<Deps, "clock" | "gateways" | "network"> & {
  readonly uris: ItemUris
  readonly node: NodeCalls
  readonly signal: AbortSignal
}

async function find(
  item: { readonly contract: string; readonly item: string },
  { uris, node, signal, clock, gateways, network }: Asking,
): Promise<Found> {
  const uri = await uris.read(node, item, signal)
  if (uri === undefined) return without("none", "the contract names no document for this item")
  const answer = {
    uri: uri.length <= longestUri && /^[!-~]+$/.test(uri) ? uri : null,
    fetched_at: new Date(clock.now()).toISOString(),
  }
  try {
    const metadata = itemMetadataOf(await readDocument(uri, { gateways, network, clock, signal }))
    return { status: "ok", message: null, ...answer, metadata }
  } catch (error) {
    if (error instanceof DocumentError)
      return { status: error.status, message: error.message, ...answer, metadata: null }
    throw error
  }
}
