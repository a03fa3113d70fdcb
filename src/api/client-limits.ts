// Who asks, for the limits: the name of an API key, or else the address. An IPv6 client has a whole /64.

import { createHash, timingSafeEqual } from "node:crypto"
import { isIPv6 } from "node:net"
import type { FastifyRequest } from "fastify"

export interface ClientLimits {
  /** By name. */
  readonly apiKeys: ReadonlyMap<string, string>
  readonly corsOrigins: readonly string[]
  /** For each client; 0 is no limit. */
  readonly requestsPerMinute: number
}

export function clientOf(request: FastifyRequest, { apiKeys }: Pick<ClientLimits, "apiKeys">): string {
  const given = request.headers["x-api-key"]
  if (typeof given === "string") {
    // All are compared, in constant time: the answer's time tells nothing of the keys.
    const found = [...apiKeys].filter(([, key]) => timingSafeEqual(digest(key), digest(given)))
    if (found[0]) return `key ${found[0][0]}`
  }
  return `address ${network(request.ip)}`
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** The first four groups of an IPv6 address; an IPv4 address as it is, also when it is written as IPv6. */
export function network(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped) return mapped[1]!
  if (!isIPv6(address)) return address
  const [head = "", tail] = address.split("%")[0]!.split("::")
  const before = head === "" ? [] : head.split(":")
  const after = tail ? tail.split(":") : []
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => "0")
  return [...before, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")
}

/** `name:key,name:key`. */
export function parseApiKeys(text: string | undefined): ReadonlyMap<string, string> {
  const entries = (text ?? "")
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
  return new Map(
    entries.map((entry): [string, string] => [
      entry.slice(0, entry.indexOf(":")),
      entry.slice(entry.indexOf(":") + 1),
    ]),
  )
}
