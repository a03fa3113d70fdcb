// A path that exists, asked with a method that it does not have: 405, with those that it has, and before the body is read.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"

interface KnownPath {
  readonly pattern: RegExp
  readonly methods: Set<string>
}

/** Answers, and returns true, where the path has other methods. */
export type RefuseMethod = (request: FastifyRequest, reply: FastifyReply) => boolean

/** Call before any route is registered. */
export function refuseOtherMethods(app: FastifyInstance, problem: (message: string) => object): RefuseMethod {
  const paths = new Map<string, KnownPath>()
  app.addHook("onRoute", ({ url, method }) => {
    // Those of the pages and of preflights take what nobody else has.
    if (url.includes("*")) return
    const known = paths.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() }
    for (const one of [method].flat()) known.methods.add(one)
    paths.set(url, known)
  })
  const refuse: RefuseMethod = (request, reply) => {
    const path = request.url.split("?", 1)[0]!
    const found = [...paths.values()].filter(({ pattern }) => pattern.test(path))
    const allowed = new Set(found.flatMap(({ methods }) => [...methods]))
    if (allowed.size === 0 || allowed.has(request.method)) return false
    const allow = [...allowed].sort().join(", ")
    // What it sends is not waited for.
    reply.header("allow", allow).header("connection", "close").code(405)
    reply.send(problem(`${path.slice(0, 200)} takes ${allow}`))
    return true
  }
  app.addHook("onRequest", (request, reply, done) => {
    if (!request.is404 || !refuse(request, reply)) done()
  })
  return refuse
}

/** Parameters are one segment each; a trailing slash makes no difference. */
const patternOf = (url: string): RegExp =>
  new RegExp(
    `^${url
      .replace(/\/$/, "")
      .split("/")
      .map((part) => (part.startsWith(":") ? "[^/]+" : part.replace(/[.\\+?^${}()|[\]]/g, "\\$&")))
      .join("/")}/?$`,
  )
