// /graphql/{chain}, and /graphql where there is one chain: queries by GET and POST, and a page for browsers. The schema and
// what executes it are loaded with the first request, since a process that is not asked should not pay for them.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { Logger } from "../../platform/logger.js"
import type { ChainGraph } from "../../queries/graphql/chain-graph.js"
import type { GraphFamily } from "../../queries/graphql/graph-table.js"
import { RequestError } from "../../queries/request-error.js"
import type { ServedChain } from "../../queries/served-chain.js"
import { chainOf } from "../data-routes.js"
import type { PageFile } from "../graphql-page.js"
import { pageFiles, readPageFile } from "../graphql-page.js"
import { refusalOf } from "../refusal.js"
import { type GraphqlAnswer, graphqlAnswer, refusedAnswer } from "./graphql-answer.js"
import { type AnswerType, answerType, graphqlRequest, wantsPage } from "./graphql-request.js"

export interface GraphqlRouteOptions {
  readonly chains: () => readonly ServedChain[]
  readonly graph: GraphFamily
  /** Of one chain, at once. */
  readonly operations: number
  readonly logger: Pick<Logger, "error">
}

export function graphqlRoutes(app: FastifyInstance, options: GraphqlRouteOptions): void {
  const graphs = new WeakMap<ServedChain, Promise<ChainGraph>>()
  const graphOf = (chain: ServedChain): Promise<ChainGraph> => {
    const known = graphs.get(chain) ?? load(chain, options)
    graphs.set(chain, known)
    return known
  }
  app.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error) ?? failed
    if (refusal === failed) options.logger.error({ error }, "a GraphQL operation failed")
    reply.refusedAs = refusal.code
    return send(reply, refusedAnswer(refusal, typeFor(request)), typeFor(request))
  })
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (request.method === "GET" && wantsPage(request)) return sendPage(reply, "page.html")
    const type = answerType(request.headers.accept)
    if (!type)
      return reply
        .code(406)
        .send({ errors: [{ message: "the answer is application/json", extensions: { code: "BAD_REQUEST" } }] })
    const { chain: name } = request.params as { chain?: string }
    const chain = name === undefined ? onlyChain(options.chains()) : chainOf(options.chains, name)
    const asked = graphqlRequest(request)
    try {
      const result = await (await graphOf(chain)).run({ ...asked, signal: gone(reply) })
      return send(reply, graphqlAnswer(result, type, options.logger), type)
    } catch (error) {
      const isUnsupported = error instanceof RequestError && error.code === "OPERATION_NOT_SUPPORTED"
      if (!isUnsupported || request.method !== "GET") throw error
      const { body } = refusedAnswer(refusalOf(error)!, type)
      return send(reply.header("allow", "POST"), { status: 405, body }, type)
    }
  }
  for (const url of ["/graphql", "/graphql/:chain"]) {
    app.route({ method: ["GET", "POST"], url, schema: { hide: true }, exposeHeadRoute: false, handler })
  }
  for (const file of pageFiles)
    app.get(`/graphiql/${file}`, { schema: { hide: true } }, (_request, reply) => sendPage(reply, file))
}

const failed = { status: 500, code: "INTERNAL", message: "this operation failed; the log says why", details: {} }

async function load(chain: ServedChain, { graph, operations }: GraphqlRouteOptions): Promise<ChainGraph> {
  const { ChainGraph } = await import("../../queries/graphql/chain-graph.js")
  return new ChainGraph(chain, graph, { operations })
}

function onlyChain(chains: readonly ServedChain[]): ServedChain {
  const [chain, ...others] = chains
  if (chain && others.length === 0) return chain
  const paths = chains.map(({ name }) => `/graphql/${name}`)
  throw new RequestError("NOT_FOUND", "name the chain: /graphql/{chain}", { chains: paths })
}

const typeFor = ({ headers }: FastifyRequest): AnswerType => answerType(headers.accept) ?? "application/json"

const send = (reply: FastifyReply, { status, body }: GraphqlAnswer, type: AnswerType): FastifyReply =>
  reply.code(status).header("content-type", `${type}; charset=utf-8`).send(JSON.stringify(body))

/** Its own script and style, and requests to where it comes from; nothing else. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'"

async function sendPage(reply: FastifyReply, file: PageFile): Promise<FastifyReply> {
  const { type, content } = await readPageFile(file)
  return reply.headers({ "content-type": type, "content-security-policy": pagePolicy, vary: "accept" }).send(content)
}

/** Aborted when the client has gone. */
function gone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once("close", () => controller.abort())
  return controller.signal
}
