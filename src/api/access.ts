// Who asks: whether a request has the admin token, and which API key. Secrets are compared in constant time.

import { createHash, timingSafeEqual } from "node:crypto"
import type { FastifyRequest } from "fastify"

export interface ApiKey {
  readonly name: string
  readonly key: string
}

export interface Access {
  /** Undefined: there are no admin routes. */
  readonly adminToken: string | undefined
  /** False: what operators see needs the admin token. */
  readonly opsIsPublic: boolean
  /** A name may have several keys, such as an old one and its successor. */
  readonly apiKeys: readonly ApiKey[]
  /** Proxies whose `x-forwarded-for` counts: addresses, networks, or names such as `loopback`. */
  readonly trustedProxies: readonly string[]
}

/** For a process that answers about itself only. */
export const noAccess: Access = {
  adminToken: undefined,
  opsIsPublic: false,
  apiKeys: [],
  trustedProxies: [],
}

export function hasAdminToken({ headers }: FastifyRequest, { adminToken }: Pick<Access, "adminToken">): boolean {
  const [, given] = /^bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? []
  return adminToken !== undefined && given !== undefined && isSame(adminToken, given)
}

/** The name of the API key; undefined without one, and for one that is not known. */
export function keyNameOf(
  { headers, query }: FastifyRequest,
  { apiKeys }: Pick<Access, "apiKeys">,
): string | undefined {
  // Clients of Etherscan's format send it as a parameter.
  const given = headers["x-api-key"] ?? (query as { apikey?: unknown } | undefined)?.apikey
  if (typeof given !== "string") return undefined
  // All are compared: the time of the answer tells nothing of the keys.
  return apiKeys.filter(({ key }) => isSame(key, given))[0]?.name
}

/** Ignored where there are no keys. */
export const hasUnknownKey = (request: FastifyRequest, access: Pick<Access, "apiKeys">): boolean =>
  access.apiKeys.length > 0 && request.headers["x-api-key"] !== undefined && keyNameOf(request, access) === undefined

/** Digests have one length, whatever the lengths of the secrets. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b))
const digest = (text: string): Buffer => createHash("sha256").update(text).digest()
