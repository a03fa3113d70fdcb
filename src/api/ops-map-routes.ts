// /v1/{chain}/ops/map and /ops/series: what the console draws.

import type { FastifyInstance } from "fastify"
import { type TSchema, Type } from "typebox"
import { mapStates, readMap } from "../queries/read-map.js"
import { readSeries, type SeriesSpan, seriesSpans } from "../queries/read-series.js"
import { RequestError } from "../queries/request-error.js"
import type { ServedChain } from "../queries/served-chain.js"
import { digits, heightParam, orNull, time, wholeOrNull } from "../queries/value-schemas.js"
import { params } from "./answer-schemas.js"
import { chainOf } from "./data-routes.js"
import { opsResponses } from "./ops-responses.js"

const letters = Object.entries(mapStates).map(([letter, words]) => `${letter}: ${words}`)
const mapSchema = Type.Object({
  chain: Type.String(),
  from: digits,
  to: digits,
  buckets: Type.Integer(),
  start_height: digits,
  head_height: orNull("string"),
  finalized_height: orNull("string"),
  workers: Type.Array(
    Type.Object({
      worker: Type.String(),
      dependencies: Type.Array(Type.String()),
      watermark_height: orNull("string"),
      states: Type.String({ description: `A letter for each bucket, the worst wins. ${letters.join("; ")}.` }),
      missing_blocks: Type.Integer(),
      leases: Type.Object({ active: Type.Integer(), failed: Type.Integer(), dead: Type.Integer() }),
    }),
  ),
  rollbacks: Type.Array(Type.Object({ height: digits, epoch: Type.Integer(), at: time })),
})

const columns = (item: TSchema): TSchema => Type.Array(item)
const seriesSchema = Type.Object({
  chain: Type.String(),
  span: Type.Enum([...seriesSpans]),
  interval_ms: Type.Integer(),
  at: columns(time),
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

export function opsMapRoutes(
  app: FastifyInstance,
  { chains }: { readonly chains: () => readonly ServedChain[] },
): void {
  const map = {
    ...{
      tags: ["ops"],
      summary: "The state of each worker's heights in [from, to), in buckets whose worst state wins",
    },
    params: params(),
    querystring: Type.Object(
      {
        from: Type.Optional(heightParam),
        to: Type.Optional(heightParam),
        buckets: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_000, default: 400 })),
      },
      { additionalProperties: false },
    ),
    response: opsResponses(mapSchema),
  }
  app.get("/v1/:chain/ops/map", { schema: map }, async (request) => {
    const chain = chainOf(chains, (request.params as { chain: string }).chain)
    const { from, to, buckets = 400 } = request.query as { from?: string; to?: string; buckets?: number }
    const height = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text))
    if (from !== undefined && to !== undefined && Number(to) <= Number(from))
      throw new RequestError("BAD_REQUEST", "`to` must be above `from`")
    return readMap(chain, { from: height(from), to: height(to), buckets })
  })

  const series = {
    ...{ tags: ["ops"], summary: "How far the chain was over an hour, a day or a month", params: params() },
    querystring: Type.Object(
      {
        span: Type.Optional(Type.Enum([...seriesSpans], { default: "hour" })),
        points: Type.Optional(Type.Integer({ minimum: 1, maximum: 720, default: 240 })),
      },
      { additionalProperties: false },
    ),
    response: opsResponses(seriesSchema),
  }
  app.get("/v1/:chain/ops/series", { schema: series }, async (request) => {
    const chain = chainOf(chains, (request.params as { chain: string }).chain)
    const { span = "hour", points = 240 } = request.query as { span?: SeriesSpan; points?: number }
    return readSeries(chain, { span, points })
  })
}
