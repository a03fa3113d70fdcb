// What all acts of operators share: which chain, who asks, how a refusal is answered. The routes are registered only where
// there is an admin token, and every act writes its audit row in src/operations.

import type { FastifyError, FastifyInstance, FastifyRequest } from "fastify"
import { type TProperties, type TSchema, Type } from "typebox"
import type { OperatedChain } from "../operations/operated-chain.js"
import { type ErrorCode, isIndexerError } from "../platform/errors.js"
import { scrubText } from "../platform/scrub.js"
import { RequestError } from "../queries/request-error.js"
import { type Access, keyNameOf } from "./access.js"
import { params, problemSchema } from "./answer-schemas.js"
import { unstorableText } from "./storable-text.js"

export interface AdminOptions {
  readonly access: Access
  /** Chains that this process can write to. */
  readonly operated: () => readonly OperatedChain[]
}

/** The name of the caller's API key, or `admin`, with the address: as the audit log has it. */
export const actorOf = (request: FastifyRequest, { access }: Pick<AdminOptions, "access">): string =>
  `${keyNameOf(request, access) ?? "admin"}@${request.ip}`

export function operatedChain({ operated }: Pick<AdminOptions, "operated">, name: string): OperatedChain {
  const chain = operated().find((one) => one.name === name)
  if (chain) return chain
  throw new RequestError("NOT_FOUND", "this process cannot write to a chain of that name: see /admin")
}

const reasons = {
  400: "A parameter is not valid",
  401: "The admin token is needed",
  404: "There is no such chain or thing",
  409: "The state of the chain does not allow it now",
  413: "The body is too large",
  415: "The body is not JSON",
  429: "Too many requests",
  503: "A database cannot be reached",
}
export const adminResponses = (data: TSchema, done = 200) => ({
  [done]: { description: "Done", ...data },
  ...Object.fromEntries(
    Object.entries(reasons).map(([status, description]) => [status, { description, ...problemSchema }]),
  ),
})

export interface Act {
  /** Below /admin/{chain}. */
  readonly path: string
  readonly summary: string
  readonly params?: TProperties
  readonly body?: TProperties
  readonly answer: TProperties
  run(chain: OperatedChain, given: Given): Promise<Record<string, unknown>>
}

interface Given {
  readonly actor: string
  readonly params: Readonly<Record<string, string>>
  /** Checked by the schema of the act. */
  // biome-ignore lint/suspicious/noExplicitAny: each act knows its own schema.
  readonly body: any
}

export function actRoute(app: FastifyInstance, options: AdminOptions, act: Act): void {
  const schema = {
    ...{ tags: ["admin"], summary: act.summary, params: params(act.params), security: [{ admin: [] }] },
    body: Type.Object(act.body ?? {}, { additionalProperties: false }),
    response: adminResponses(Type.Object({ chain: Type.String(), ...act.answer })),
  }
  app.post(`/admin/:chain${act.path}`, { schema }, async (request) => {
    const { chain: name, ...rest } = request.params as { chain: string } & Record<string, string>
    const chain = operatedChain(options, name)
    const answer = await act.run(chain, { actor: actorOf(request, options), params: rest, body: request.body })
    return { chain: chain.name, ...answer }
  })
}

const statusOf: Partial<Record<ErrorCode, number>> = {
  USAGE: 400,
  NOT_FOUND: 404,
  STILL_RUNNING: 409,
  ROLLBACK_OPEN: 409,
  ROLLBACK_STARTED: 409,
  ROLLBACK_CANCELLED: 409,
}

/** For the routes of this instance: an act without parameters needs no body, and a refusal has the status it means. */
export function answerActs(app: FastifyInstance): void {
  app.addHook("preValidation", async (request) => {
    if (request.method === "POST") request.body ??= {}
    const path = unstorableText(request.body)
    if (path !== undefined)
      throw new RequestError("BAD_REQUEST", `${path}: a NUL or half of a surrogate pair cannot be stored`)
  })
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const status = isIndexerError(error) ? statusOf[error.code] : undefined
    // The server's own handler knows all others.
    if (status === undefined || !isIndexerError(error)) throw error
    return reply
      .code(status)
      .send({ error: { code: error.code, message: scrubText(error.message), details: error.data } })
  })
}
