// How a chain's nodes are reached besides their URLs: headers by host, such as API keys, and proxies.

import { IndexerError } from "./errors.js"

type Headers = Readonly<Record<string, string>>
/** By host as in the URL, with its port if it has one. */
export type HeadersByHost = Readonly<Record<string, Headers>>

export interface ProxySettings {
  readonly http: string | undefined
  readonly https: string | undefined
  readonly no: string | undefined
}

const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i
/** No line breaks: they would end the header. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/
/** Those that a request is made with. */
const taken = new Set(["host", "content-length", "content-type", "transfer-encoding", "connection", "accept-encoding"])

/**
 * `name: value` pairs, separated by commas, or JSON: `{"name": "value"}`, or `{"host": {"name": "value"}}` where the
 * URLs have several hosts. No host gets another's.
 */
export function readHeaders(given: unknown, { name, urls }: { name: string; urls: readonly string[] }): HeadersByHost {
  if (given === undefined || given === "") return {}
  const value = typeof given === "string" ? parseText(given) : given
  if (!isRecord(value)) throw invalid(`${name} must be "name: value", or an object of them by host`)
  const hosts = [...new Set(urls.map((url) => new URL(url).host))]
  const entries = Object.entries(value)
  const isByHost = entries.length > 0 && entries.every(([, headers]) => isRecord(headers))
  if (!isByHost && hosts.length > 1) {
    throw invalid(`${name} must name the host of each header, since the URLs have several: {"${hosts[0]}": {…}}`)
  }
  const byHost = isByHost
    ? (entries as [string, Record<string, unknown>][])
    : hosts.map((host) => [host, value] as const)
  for (const [host, headers] of byHost) {
    if (!hosts.includes(host)) throw invalid(`${name} has headers for ${host}, but no URL has that host`)
    for (const [header, text] of Object.entries(headers)) {
      // The value is a secret.
      const isFit = headerName.test(header) && typeof text === "string" && headerValue.test(text)
      if (!isFit || taken.has(header.toLowerCase())) throw invalid(`${name}: ${header} is no header that can be set`)
    }
  }
  return Object.fromEntries(
    byHost.map(([host, headers]) => [
      host,
      Object.fromEntries(Object.entries(headers).map(([header, text]) => [header.toLowerCase(), text as string])),
    ]),
  )
}

function parseText(text: string): unknown {
  if (text.trimStart().startsWith("{")) {
    try {
      return JSON.parse(text) as unknown
    } catch {
      // Not shown: it has secrets.
      return undefined
    }
  }
  const pairs = text.split(/,\s*(?=[\w-]+\s*:)/).map((pair) => /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/.exec(pair))
  if (pairs.includes(null)) return undefined
  return Object.fromEntries(pairs.map((pair) => [pair![1]!, pair![2]!]))
}

/** As other programs read them: lower case first, and HTTP_PROXY for https as well where there is no other. */
export function readProxy(env: Readonly<Record<string, string | undefined>>): ProxySettings | undefined {
  const [http, https, no] = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].map(
    (name) => env[name.toLowerCase()] || env[name] || undefined,
  )
  for (const [name, url] of [
    ["HTTP_PROXY", http],
    ["HTTPS_PROXY", https],
  ] as const) {
    if (url !== undefined && !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)))
      throw invalid(`${name} must be an http:// or https:// URL`)
  }
  return http === undefined && https === undefined ? undefined : { http, https, no }
}

const invalid = (message: string): IndexerError => new IndexerError("CONFIG_INVALID", message)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
