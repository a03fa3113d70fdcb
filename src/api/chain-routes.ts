// /v1/chains, and how far each worker of a chain is.

import type { FastifyInstance } from "fastify"
import { Type } from "typebox"
import type { RangeSet } from "../domain/range-set.js"
import { rangesJson } from "../queries/answer-scope.js"
import { bucketStates, bucketsOf, readCoverage, workerWatermark } from "../queries/read-coverage.js"
import type { ServedChain } from "../queries/served-chain.js"
import { digits, heightParam, orNull } from "../queries/value-schemas.js"
import { params, problemSchema, responses } from "./answer-schemas.js"
import { chainOf } from "./data-routes.js"

const range = Type.Object({ from: digits, to: digits })
const chainSchema = Type.Object({
  chain: Type.String(),
  head_height: orNull("string"),
  finalized_height: orNull("string"),
})
const coverageSchema = Type.Object({
  chain: Type.String(),
  chain_epoch: Type.Integer(),
  from: digits,
  to: digits,
  raw_tip_height: orNull("string"),
  worker_tip_height: orNull("string"),
  app_watermark_height: orNull("string"),
  workers: Type.Array(
    Type.Object({
      worker: Type.String(),
      watermark_height: orNull("string"),
      coverage: Type.Array(range),
      buckets: Type.Array(Type.Object({ from: digits, to: digits, state: Type.Enum([...bucketStates]) })),
    }),
  ),
})

const text = (height: number | null | undefined): string | null => (height == null ? null : String(height))
const tip = (set: RangeSet): number | null => (set.length > 0 ? set.at(-1)!.to - 1 : null)

export function chainRoutes(app: FastifyInstance, { chains }: { chains: () => readonly ServedChain[] }): void {
  const list = {
    tags: ["chains"],
    summary: "The chains that this process serves",
    response: {
      200: { description: "The answer", ...Type.Object({ data: Type.Array(chainSchema) }) },
      429: { description: "Too many requests", ...problemSchema },
      503: { description: "A database cannot be reached", ...problemSchema },
    },
  }
  app.get("/v1/chains", { schema: list }, async () => ({
    data: await Promise.all(
      chains().map(async (chain) => {
        const { head, finalized } = await chain.head()
        return { chain: chain.name, head_height: text(head), finalized_height: text(finalized) }
      }),
    ),
  }))

  const schema = {
    tags: ["chains"],
    summary: "What each worker covers of [from, to), in buckets whose worst state wins",
    params: params(),
    querystring: Type.Object(
      {
        from: Type.Optional(heightParam),
        to: Type.Optional(heightParam),
        buckets: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100 })),
      },
      { additionalProperties: false },
    ),
    response: responses(coverageSchema),
  }
  app.get("/v1/:chain/coverage", { schema }, async (request) => {
    const chain = chainOf(chains, (request.params as { chain: string }).chain)
    const query = request.query as { from?: string; to?: string; buckets: number }
    const { head } = await chain.head()
    const { epoch, start, workers } = await readCoverage(chain)
    const end = Math.max(
      start,
      head === null ? 0 : head + 1,
      ...workers.map(({ covered }) => (tip(covered) ?? -1) + 1),
    )
    const from = Math.min(end, Math.max(start, Number(query.from ?? start)))
    const asked = { from, to: Math.max(from, Math.min(end, Number(query.to ?? end))) }
    const derived = workers.filter(({ store }) => store === "app")
    const tips = derived.map(({ covered }) => tip(covered))
    const marks = workers.map((worker) => workerWatermark(start, worker))
    const least = (heights: readonly (number | null)[]): number | null =>
      heights.length === 0 || heights.includes(null) ? null : Math.min(...(heights as number[]))
    return {
      chain: chain.name,
      chain_epoch: epoch,
      from: String(asked.from),
      to: String(asked.to),
      raw_tip_height: text(workers.find(({ store }) => store === "raw") && tip(workers[0]!.covered)),
      worker_tip_height: text(least(tips)),
      app_watermark_height: text(least(marks)),
      workers: workers.map((worker) => ({
        worker: worker.worker,
        watermark_height: text(workerWatermark(start, worker)),
        coverage: rangesJson(worker.covered),
        buckets: bucketsOf(asked, query.buckets, worker),
      })),
    }
  })
}
