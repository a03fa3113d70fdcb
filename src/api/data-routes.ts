// A route for each resource that a chain family declares, below /v1/{chain}.

import { createHash } from "node:crypto"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { Type } from "typebox"
import { detailAtOnce, listAtOnce } from "../queries/answer-at-once.js"
import { answerDetail, answerList, lookedUp } from "../queries/answer-request.js"
import { exportList } from "../queries/export-list.js"
import { type Extended, extendAnswer } from "../queries/extend-answer.js"
import { heightsAround } from "../queries/height-at-time.js"
import { JsonText } from "../queries/json-text.js"
import { RequestError } from "../queries/request-error.js"
import type { ApiResource, ListResource, RequestValues } from "../queries/resource.js"
import type { ServedChain } from "../queries/served-chain.js"
import { waitForHeight } from "../queries/wait-for-height.js"
import { answerSchema, detailQuery, listQuery, listResponses, params, responses, rowSchema } from "./answer-schemas.js"
import type { CsvExports } from "./csv-export.js"

export interface DataRouteOptions {
  readonly chains: () => readonly ServedChain[]
  readonly resources: readonly ApiResource[]
}

type Sending = DataRouteOptions & { readonly exports: CsvExports }

type Values = Readonly<Record<string, string | undefined>>

export function dataRoutes(app: FastifyInstance, { chains, resources, exports }: Sending): void {
  for (const resource of resources) {
    const { path, tag, summary } = resource
    const isList = resource.kind === "list"
    const data = isList ? Type.Array(rowSchema(resource)) : resource.row
    const schema = {
      tags: [tag],
      summary,
      params: params(resource.params),
      querystring: isList ? listQuery(resource) : detailQuery(resource.query),
      response: isList ? listResponses(answerSchema(data)) : responses(answerSchema(data)),
    }
    app.get(`/v1/:chain${path}`, { schema }, async (request, reply) => {
      const chain = chainOf(chains, (request.params as { chain: string }).chain)
      if (isList) return sendList(chain, resource, { request, reply, exports, values: ownValues(resource, request) })
      await waitUntilAsked(chain, resource, { request, reply })
      const values = await lookedUp(chain, resource, ownValues(resource, request))
      const answer = (await detailAtOnce(chain, resource, values)) ?? (await answerDetail(chain, resource, values))
      return send(reply, request, await extendAnswer(chain, resource, answer))
    })
  }
}

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Any list, once its values are known. */
export async function sendList(
  chain: ServedChain,
  resource: ListResource,
  { request, reply, values, exports }: Exchange & { readonly values: RequestValues; readonly exports: CsvExports },
): Promise<FastifyReply> {
  await waitUntilAsked(chain, resource, { request, reply })
  const query = request.query as Values
  const asked = { values, ...(await page(chain, query)) }
  if (query["format"] === "csv") {
    if (query["limit"] !== undefined || query["cursor"] !== undefined)
      throw new RequestError("BAD_REQUEST", "a CSV file has the whole list: leave limit and cursor out")
    return exports.send(reply, request, {
      name: [chain.name, ...resource.path.split("/").filter((part) => /^[a-z]/.test(part))].join("-"),
      columns: Object.keys(resource.columns),
      clock: chain.clock,
      run: (sink) => exportList(chain, resource, asked, { sink }),
    })
  }
  const answer = (await listAtOnce(chain, resource, asked)) ?? (await answerList(chain, resource, asked))
  return send(reply, request, await extendAnswer(chain, resource, answer))
}

async function waitUntilAsked(chain: ServedChain, resource: ApiResource, { request, reply }: Exchange): Promise<void> {
  const query = request.query as Values
  const [minHeight, minBlockHash] = [heightOf(query["min_height"]), query["min_block_hash"]]
  if (minHeight !== undefined || minBlockHash !== undefined)
    await waitForHeight(chain, resource, { minHeight, minBlockHash, signal: gone(reply) })
}

export function chainOf(chains: () => readonly ServedChain[], name: string): ServedChain {
  const chain = chains().find((one) => one.name === name)
  if (chain) return chain
  throw new RequestError("NOT_FOUND", "this process serves no chain of that name: see /v1/chains")
}

/** What the path and the filters of the resource say; paging and waiting are common to all. */
function ownValues(resource: ApiResource, request: FastifyRequest): RequestValues {
  const given = { ...(request.query as Values), ...(request.params as Values) }
  const sort = resource.kind === "list" && resource.sorts ? ["sort"] : []
  const names = [...Object.keys(resource.params ?? {}), ...Object.keys(resource.query ?? {}), ...sort]
  return Object.fromEntries(
    names.flatMap((name) => (given[name] === undefined ? [] : [[name, lowerHex(given[name])]])),
  )
}

const lowerHex = (text: string): string => (/^0x[0-9a-f]*$/i.test(text) ? text.toLowerCase() : text)

const limitNames = ["from_height", "to_height", "from_time", "to_time"] as const

async function page(chain: ServedChain, query: Values) {
  const around = async (text: string | undefined) =>
    text === undefined ? undefined : chain.read("raw", (tx) => heightsAround(tx, new Date(text)))
  const both = <T>(pick: (...values: number[]) => T, ...values: (number | undefined)[]): T | undefined => {
    const known = values.filter((one) => one !== undefined)
    return known.length > 0 ? pick(...known) : undefined
  }
  // Heights that are missing at either time belong to what is asked for, so that they are reported as a gap.
  return {
    order: query["order"] as "asc" | "desc" | undefined,
    limit: Number(query["limit"] ?? 25),
    cursor: query["cursor"],
    from: both(Math.max, heightOf(query["from_height"]), (await around(query["from_time"]))?.behind),
    to: both(Math.min, heightOf(query["to_height"]), (await around(query["to_time"]))?.first),
    limits: Object.fromEntries(limitNames.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]]))),
  }
}

const heightOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text))

/** Aborted when the client has gone. */
function gone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once("close", () => controller.abort())
  return controller.signal
}

/**
 * What is final never changes, so it may be kept for ever; anything else must be asked again. What is decoded may be more
 * when another ABI is known: it is kept too, and asked about each time.
 */
function send(
  reply: FastifyReply,
  request: FastifyRequest,
  { data, meta, isFinal, isExtended }: Extended,
): FastifyReply {
  if (!isFinal) {
    reply.header("cache-control", "no-store")
    return sendBody(reply, { data, meta })
  }
  const text = data instanceof JsonText ? data.text : JSON.stringify(data)
  const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 27)}"`
  reply.headers({ etag, "cache-control": isExtended ? "public, no-cache" : "public, max-age=31536000, immutable" })
  if (request.headers["if-none-match"] === etag) return reply.code(304).send()
  return sendBody(reply, { data, meta })
}

function sendBody(reply: FastifyReply, { data, meta }: Pick<Extended, "data" | "meta">): FastifyReply {
  if (!(data instanceof JsonText)) return reply.send({ data, meta })
  // A string goes out as it is.
  reply.header("content-type", "application/json; charset=utf-8")
  return reply.send(`{"data":${data.text},"meta":${JSON.stringify(meta)}}`)
}
