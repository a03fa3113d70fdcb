// Fetches a document that a stranger names, over https from the public internet only. The connection goes to an address
// that was checked, not to a name that could have changed since; each redirect is checked again.

import { lookup } from "node:dns/promises"
import { type RequestOptions, request } from "node:https"
import { isIP, type LookupFunction } from "node:net"
import type { Clock } from "../../platform/clock.js"
import { isPublicAddress } from "./public-address.js"

/** What is wrong with the document or where it is, in words for whoever asked. */
export class DocumentError extends Error {
  constructor(
    readonly status: "refused" | "unavailable" | "invalid",
    message: string,
  ) {
    super(message)
  }
}

export interface PublicNetwork {
  resolve(host: string): Promise<readonly string[]>
  isPublic(address: string): boolean
  /** Of the servers that are asked; no other can be probed through this one. */
  readonly port: number
  readonly tls?: Pick<RequestOptions, "ca">
}

const publicNetwork: PublicNetwork = {
  resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  isPublic: isPublicAddress,
  port: 443,
}

export interface FetchLimits {
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly maxRedirects: number
}

export const fetchLimits: FetchLimits = { timeoutMs: 5_000, maxBytes: 1 << 20, maxRedirects: 3 }

const allowedType = /^(application\/([a-z0-9.+-]+\+)?json|text\/(plain|json)|application\/octet-stream)\b/i

/** Throws a DocumentError. */
export async function fetchPublic(address: string, options: FetchOptions): Promise<Buffer> {
  const { timeoutMs } = options.limits ?? fetchLimits
  const done = new AbortController()
  const late = new AbortController()
  void options.clock.sleep(timeoutMs, done.signal).then(() => late.abort())
  try {
    return await followed(address, { ...options, late: late.signal })
  } catch (error) {
    if (error instanceof DocumentError || options.signal.aborted) throw error
    if (late.signal.aborted) throw new DocumentError("unavailable", `no complete answer within ${timeoutMs} ms`)
    throw new DocumentError("unavailable", `the connection failed (${(error as { code?: string }).code ?? "error"})`)
  } finally {
    done.abort()
  }
}

async function followed(
  address: string,
  { network = publicNetwork, limits = fetchLimits, signal, late }: FetchOptions & { readonly late: AbortSignal },
): Promise<Buffer> {
  const until = AbortSignal.any([signal, late])
  let url = address
  for (let redirects = 0; ; redirects++) {
    const answer = await fetchOnce(url, { network, limits, signal: until })
    if (Buffer.isBuffer(answer)) return answer
    if (redirects === limits.maxRedirects)
      throw new DocumentError("refused", `more than ${limits.maxRedirects} redirects`)
    if (!URL.canParse(answer.location, url)) throw new DocumentError("invalid", "the redirect leads nowhere")
    url = new URL(answer.location, url).href
  }
}

export interface FetchOptions {
  readonly network?: PublicNetwork | undefined
  readonly limits?: FetchLimits
  readonly clock: Clock
  readonly signal: AbortSignal
}

async function fetchOnce(
  text: string,
  { network, limits, signal }: Required<Pick<FetchOptions, "limits" | "signal">> & { readonly network: PublicNetwork },
): Promise<Buffer | { readonly location: string }> {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== "https:") throw new DocumentError("refused", "only https is fetched")
  if (url.username !== "" || url.password !== "") throw new DocumentError("refused", "the URL has a password in it")
  if (Number(url.port || 443) !== network.port)
    throw new DocumentError("refused", `only port ${network.port} is asked`)
  const address = await checkedAddress(url.hostname, network, signal)
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: url.hostname.replace(/^\[|\]$/g, ""),
        port: network.port,
        path: url.pathname + url.search,
        // No connection is kept, no header says more than it must.
        agent: false,
        headers: { accept: "application/json", "user-agent": "tidemark" },
        lookup: only(address),
        signal,
        ...network.tls,
      },
      (answer) => {
        const fail = (error: Error): void => {
          answer.destroy()
          reject(error)
        }
        const { statusCode = 0, headers } = answer
        if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
          answer.destroy()
          return resolve({ location: headers.location })
        }
        if (statusCode !== 200) return fail(new DocumentError("unavailable", `the server answered ${statusCode}`))
        if (!allowedType.test(headers["content-type"] ?? "application/json"))
          return fail(new DocumentError("invalid", "the server sent something other than JSON"))
        const chunks: Buffer[] = []
        let bytes = 0
        answer.on("data", (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > limits.maxBytes) fail(new DocumentError("invalid", `more than ${limits.maxBytes} bytes`))
          else chunks.push(chunk)
        })
        answer.on("end", () => resolve(Buffer.concat(chunks)))
        answer.on("error", reject)
      },
    )
    sent.on("error", reject)
    sent.end()
  })
}

/** One of the host's addresses; all of them have to be public, since nobody knows which one was meant. */
async function checkedAddress(host: string, network: PublicNetwork, signal: AbortSignal): Promise<string> {
  const literal = host.replace(/^\[|\]$/g, "")
  const found = isIP(literal) ? [literal] : await orAborted(network.resolve(host), signal)
  const [first] = found
  if (first === undefined) throw new DocumentError("unavailable", "its host has no address")
  if (!found.every((one) => network.isPublic(one)))
    throw new DocumentError("refused", "its host is not on the public internet")
  return first
}

const only =
  (address: string): LookupFunction =>
  (_host, options, done) => {
    const family = isIP(address)
    if (options.all) done(null, [{ address, family }])
    else done(null, address, family)
  }

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  let stop: () => void = () => undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener("abort", stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener("abort", stop)
  }
}
