// How requests get to a host: over a pool of kept connections, through a proxy if one is set. Loopback is never asked through
// a proxy.

import { createRequire } from "node:module"
import type { Dispatcher, EnvHttpProxyAgent, Pool } from "undici"
import type { ProxySettings } from "../platform/rpc-access.js"

export type HttpDispatcher = Pick<Dispatcher, "dispatch"> & { destroy(): Promise<void> }

const load = createRequire(import.meta.url)

export const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname)

export function openDispatcher(
  url: URL,
  { connections, proxy }: { readonly connections: number; readonly proxy?: ProxySettings | undefined },
): HttpDispatcher {
  // `timeoutMs` of a request covers connecting, waiting and reading.
  const options = { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 30_000 }
  if (proxy !== undefined && !isLoopback(url)) return proxyAgent(proxy, options)
  // Only undici's pool: all of undici takes three times as long to load, in every thread.
  const HttpPool = load("undici/lib/dispatcher/pool.js") as new (...all: ConstructorParameters<typeof Pool>) => Pool
  return new HttpPool(url.origin, options)
}

export function proxyAgent(proxy: ProxySettings, options: EnvHttpProxyAgent.Options = {}): EnvHttpProxyAgent {
  const { EnvHttpProxyAgent: Agent } = load("undici") as typeof import("undici")
  const given = { noProxy: proxy.no ?? "", httpProxy: proxy.http ?? "", httpsProxy: proxy.https ?? proxy.http ?? "" }
  return new Agent({ ...options, ...given })
}
