// The document behind a token's URI, wherever it is: in the URI itself, on the web, on IPFS or Arweave by a gateway.

import { DocumentError, type FetchOptions, fetchLimits, fetchPublic } from "./fetch-public.js"

export interface Gateways {
  /** Ends with a slash, such as https://ipfs.io/ipfs/. */
  readonly ipfs: string
  readonly arweave: string
}

const path = (text: string): string => text.split("/").map(encodeURIComponent).join("/")

/** Throws a DocumentError. */
export async function readDocument(
  uri: string,
  { gateways, ...options }: FetchOptions & { readonly gateways: Gateways },
): Promise<string> {
  if (/^data:/i.test(uri)) return inlineText(uri)
  const ipfs = /^ipfs:\/\/(?:ipfs\/)?([A-Za-z0-9]{20,}(?:\/.*)?)$/s.exec(uri)?.[1]
  const arweave = /^ar:\/\/([A-Za-z0-9_-]{43}(?:\/.*)?)$/s.exec(uri)?.[1]
  const url = ipfs ? gateways.ipfs + path(ipfs) : arweave ? gateways.arweave + path(arweave) : uri
  return (await fetchPublic(url, options)).toString("utf8")
}

function inlineText(uri: string): string {
  const comma = uri.indexOf(",")
  if (comma < 0) throw new DocumentError("invalid", "the data: URI has no data")
  const head = uri.slice(0, comma)
  const body = uri.slice(comma + 1)
  if (body.length > fetchLimits.maxBytes * 2) throw new DocumentError("invalid", "the data: URI is too long")
  if (!/^data:(application\/json|text\/plain|text\/json)?(;|$)/i.test(head))
    throw new DocumentError("invalid", "the data: URI is not JSON")
  if (/;base64$/i.test(head)) return Buffer.from(body, "base64").toString("utf8")
  try {
    return decodeURIComponent(body)
  } catch {
    // Many contracts write JSON without encoding its percent signs.
    return body
  }
}
