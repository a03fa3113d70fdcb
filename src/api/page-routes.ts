// The pages for people, below every path that no other route has. Programs are answered as if there were no pages.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { PageFile, WebPages } from "./web-pages.js"

/** Everything comes from this origin, and no script or style is in a page itself. */
const policy = [
  "default-src 'none'",
  ...["script-src", "style-src", "font-src", "img-src", "connect-src"].map((kind) => `${kind} 'self'`),
  ...["base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"],
].join("; ")

const notBuilt = `Tidemark runs, but its pages are not built in this checkout.
Build them with "npm run build" and start again. The API is there: see /docs.
`

/** What a browser sends for a page, and no program by itself. */
const wantsPage = ({ method, headers }: FastifyRequest): boolean =>
  (method === "GET" || method === "HEAD") && (headers.accept ?? "").includes("text/html")

/** For the root, which programs know as a list of routes. Undefined: the request is not for a page. */
export function rootPage(pages: WebPages) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined => {
    reply.header("vary", "accept, accept-encoding")
    return wantsPage(request) ? sendPage(pages, request, reply) : undefined
  }
}

/** Register last. `taken` are the first segments of all other routes: what is not found below those has no page either. */
export function pageRoutes(
  app: FastifyInstance,
  { pages, taken }: { pages: WebPages; taken: ReadonlySet<string> },
): void {
  app.get("/*", { schema: { hide: true } }, (request, reply) => {
    const path = request.url.split("?", 1)[0]!
    const file = pages.get(path)
    if (file) return sendFile(file, request, reply)
    const isPage = wantsPage(request) && !taken.has(path.split("/")[1]!) && !path.startsWith("/assets/")
    return isPage ? sendPage(pages, request, reply) : reply.callNotFound()
  })
}

function sendPage(pages: WebPages, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const page = pages.get("/index.html")
  return page ? sendFile(page, request, reply) : reply.code(503).type("text/plain; charset=utf-8").send(notBuilt)
}

function sendFile(file: PageFile, { headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header("vary", reply.getHeader("vary") ?? "accept-encoding")
  reply.header("etag", file.etag)
  reply.header("cache-control", file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache")
  reply.header("content-security-policy", policy)
  if (headers["if-none-match"]?.includes(file.etag)) return reply.code(304).send()
  const encoding = encodingFor(file, headers["accept-encoding"])
  if (encoding) reply.header("content-encoding", encoding)
  return reply.type(file.type).send(encoding ? file[encoding] : file.plain)
}

function encodingFor(file: PageFile, accepted = ""): "br" | "gzip" | undefined {
  const names = accepted.split(",").map((one) => one.replaceAll(" ", ""))
  const takes = (name: string): boolean =>
    names.some((one) => one === name || /^q=(1|0?\.\d*[1-9])/.test(one.split(`${name};`)[1] ?? ""))
  return (["br", "gzip"] as const).find((name) => file[name] && takes(name))
}
