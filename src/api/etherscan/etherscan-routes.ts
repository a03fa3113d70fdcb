// /api and /v2/api: the chain's data in the format of Etherscan, for clients that speak it. Every answer is HTTP 200. See
// docs/reference/etherscan.md.

import formbody from "@fastify/formbody"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { Clock } from "../../platform/clock.js"
import { isIndexerError } from "../../platform/errors.js"
import type { Logger } from "../../platform/logger.js"
import { scrubText } from "../../platform/scrub.js"
import { isPoolExhausted, sqlStateOf } from "../../postgres/postgres-error.js"
import type { EtherscanAction } from "../../queries/etherscan/etherscan-action.js"
import { EtherscanError } from "../../queries/etherscan/etherscan-error.js"
import { EtherscanParams } from "../../queries/etherscan/etherscan-params.js"
import type { NodeCalls } from "../../queries/node-calls.js"
import { RequestError } from "../../queries/request-error.js"
import type { ServedChain } from "../../queries/served-chain.js"
import type { Access } from "../access.js"
import { clientOf } from "../client-limits.js"
import { NodeBudget } from "../node-budget.js"
import { answerText, completenessHeaders, refusalText, rpcErrorText, throttledText } from "./etherscan-envelope.js"

export interface EtherscanOptions {
  readonly actions: readonly EtherscanAction[]
  /** Undefined where this process has no node for the chain. */
  readonly nodeOf: (chain: ServedChain) => NodeCalls | undefined
  /** JSON-RPC methods that clients may call. */
  readonly nodeMethods: readonly string[]
  /** Of each client. */
  readonly nodeRequestsPerMinute: number
  readonly lagBlocks: number
  readonly clock: Clock
  readonly logger: Logger
}

type Deps = EtherscanOptions & { readonly access: Access; readonly chains: () => readonly ServedChain[] }

const statementTimeout = "57014"

export async function etherscanRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  await app.register(formbody, { bodyLimit: 1 << 18 })
  const actions = new Map(deps.actions.map((one) => [`${one.module} ${one.action}`.toLowerCase(), one]))
  const modules = new Set(deps.actions.map(({ module }) => module))
  const budget = new NodeBudget(deps.clock, deps.nodeRequestsPerMinute)
  app.setErrorHandler((error, request, reply) => refuse(reply, { request, error, logger: deps.logger }))

  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const params = paramsOf(request)
    const module = params.text("module")?.toLowerCase() ?? ""
    if (!modules.has(module)) throw new EtherscanError("Error! Missing Or invalid Module name")
    const action = actions.get(`${module} ${params.text("action")?.toLowerCase()}`)
    if (!action) throw new EtherscanError("Error! Missing Or invalid Action name")
    const chain = await chainOf(deps, { params, isV2: request.url.startsWith("/v2") })
    const signal = gone(reply)
    const node = async (method: string, args: readonly unknown[]): Promise<unknown> => {
      if (!budget.take(clientOf(request, deps.access))) throw new Throttled(deps.nodeRequestsPerMinute)
      const reply = await deps.nodeOf(chain)!.call(method, args, signal)
      if ("value" in reply) return reply.value
      throw new EtherscanError(reply.refusal.message, reply.refusal)
    }
    assertAllowed(action, deps, chain)
    const { lagBlocks } = deps
    const found = await action.answer({ chain, params, lagBlocks, node })
    if (found.completeness) reply.headers(completenessHeaders(found.completeness))
    return json(reply, answerText(found))
  }
  for (const path of ["/api", "/v2/api"]) {
    app.get(path, { schema: { hide: true }, exposeHeadRoute: false }, answer)
    app.post(path, { schema: { hide: true } }, answer)
  }
}

class Throttled extends Error {
  constructor(readonly callsPerMinute: number) {
    super("too many calls to the node")
  }
}

/** What is in the body wins. */
const paramsOf = (request: FastifyRequest): EtherscanParams => new EtherscanParams(request.query, request.body)

async function chainOf(
  { chains }: Deps,
  { params, isV2 }: { params: EtherscanParams; isV2: boolean },
): Promise<ServedChain> {
  const all = chains()
  const name = params.text("chain")
  const id = params.text("chainid")
  for (const chain of all) {
    if (name !== undefined ? chain.name === name : id !== undefined && (await chain.chainId()) === id) return chain
  }
  if (name === undefined && id === undefined && !isV2 && all.length === 1) return all[0]!
  const known = await Promise.all(all.map(async (chain) => `${chain.name} (${await chain.chainId()})`))
  throw new EtherscanError(
    `Error! Missing or unsupported chainid parameter: this server has ${known.join(", ") || "no chain yet"}`,
  )
}

function assertAllowed({ methods = [] }: EtherscanAction, { nodeMethods, nodeOf }: Deps, chain: ServedChain): void {
  const denied = methods.find((method) => !nodeMethods.includes(method))
  if (denied !== undefined)
    throw new EtherscanError(
      `Error! This needs a node, and ${denied} is not among the API_NODE_METHODS of this server`,
    )
  if (methods.length > 0 && !nodeOf(chain)) throw new EtherscanError("Error! This server has no node for this chain")
}

function refuse(
  reply: FastifyReply,
  { request, error, logger }: { request: FastifyRequest; error: unknown; logger: Logger },
): FastifyReply {
  if (error instanceof Throttled) return json(reply, throttledText(`${error.callsPerMinute} node calls a minute`))
  const { statusCode } = error as { statusCode?: number }
  // Only who sends a key of ours as a header, which is not a part of the format.
  if (statusCode === 401) return json(reply, refusalText("Invalid API Key"), 401)
  if (statusCode === 429 || isPoolExhausted(error)) return json(reply, throttledText("try again later"))
  const reason = reasonOf(error, statusCode)
  if (reason === undefined) logger.error({ error }, "a request failed")
  const text = reason ?? "Error! This request failed; the log says why"
  const isRpc = paramsOf(request).text("module")?.toLowerCase() === "proxy"
  return json(reply, isRpc ? rpcErrorText(error, text) : refusalText(text))
}

function reasonOf(error: unknown, statusCode = 500): string | undefined {
  if (error instanceof EtherscanError) return error.message
  if (error instanceof RequestError) return `Error! ${error.message}`
  // Clients split their requests when they read this, as it is spelled.
  if (sqlStateOf(error) === statementTimeout) return "Query Timeout occured. Please select a smaller result dataset"
  if (isIndexerError(error) && error.action === "retry") return `Error! ${scrubText(error.message)}`
  return statusCode < 500 ? `Error! ${(error as Error).message}` : undefined
}

const json = (reply: FastifyReply, text: string, status = 200): FastifyReply =>
  reply.code(status).type("application/json; charset=utf-8").send(text)

/** Aborted when the client has gone. */
function gone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once("close", () => controller.abort())
  return controller.signal
}
