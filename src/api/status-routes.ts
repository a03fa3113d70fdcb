// /health, /ready, /status, /metrics and a list of them at the root. All answer while database or node is unavailable.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { Clock } from "../platform/clock.js"
import { statusJson } from "../status/status-json.js"
import { type ChainAnswer, ChainReader, type ChainView, type StartingChain } from "./chain-view.js"
import { readinessOf } from "./readiness.js"

export interface StatusRouteOptions {
  readonly chains: () => readonly ChainView[]
  /** Those that do not run yet. */
  readonly starting?: () => Promise<readonly StartingChain[]>
  /** As Prometheus text. */
  readonly metrics: () => Promise<string>
  readonly readyLagBlocks: number
  readonly maxHeadAgeMs: number
  readonly clock: Clock
  /** Answers at the root who wants a page. */
  readonly rootPage?: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined
}

/** Where a person can go on. Those of the data are there with the role `serve` only, `/admin` with a token. */
const places = ["/docs", "/openapi.json", "/v1/chains", "/v1/stream", "/graphql", "/api", "/admin"]
const routes = ["/health", "/ready", "/status", "/metrics"]

export function statusRoutes(app: FastifyInstance, options: StatusRouteOptions): void {
  const { clock, chains, metrics, starting = async () => [], rootPage } = options
  const startedAt = clock.monotonic()
  const reader = new ChainReader(clock)
  const readAll = (): Promise<ChainAnswer[]> => Promise.all(chains().map((view) => reader.read(view)))

  app.get("/", async (request, reply) => {
    const page = rootPage?.(request, reply)
    if (page) return page
    return { name: "tidemark", routes: [...routes, ...places.filter((url) => app.hasRoute({ method: "GET", url }))] }
  })

  app.get("/health", async () => ({
    status: "ok",
    uptime_seconds: Math.round((clock.monotonic() - startedAt) / 1_000),
  }))

  app.get("/ready", async (request, reply) => {
    const { history: asked } = request.query as { history?: string }
    const history = asked !== undefined && asked !== "0" && asked !== "false"
    // Asked for first: a chain that starts meanwhile may be in both lists, and is in one at least.
    const waiting = startingJson(await starting())
    const answers = (await readAll()).map((answer) => readinessOf(answer, { ...options, history }))
    const ready = answers.length > 0 && waiting.length === 0 && answers.every((answer) => answer.ready)
    return reply.code(ready ? 200 : 503).send({ ready, chains: answers, starting: waiting })
  })

  app.get("/status", async (_request, reply) => {
    const waiting = startingJson(await starting())
    const answers = await readAll()
    const unknown = answers.find(({ status }) => status === undefined)
    if (unknown) {
      const { name, diagnosis, stale } = unknown
      const { code, message } = stale ?? { code: "DATABASE_UNREACHABLE", message: "nothing is known yet" }
      return reply.code(503).send({ error: { code, message, details: { chain: name, diagnosis } } })
    }
    return { chains: answers.map(answerJson), starting: waiting }
  })

  app.get("/metrics", async (_request, reply) => {
    return reply.header("content-type", "text/plain; version=0.0.4; charset=utf-8").send(await metrics())
  })
}

const startingJson = (chains: readonly StartingChain[]) => chains.map(({ name, reason }) => ({ chain: name, reason }))

const answerJson = ({ status, diagnosis, stale }: ChainAnswer) => ({
  ...statusJson(status!, diagnosis),
  stale: stale !== undefined,
  ...(stale ? { stale_reason: stale.message, stale_ms: stale.ageMs } : {}),
})
