// Who asks, for the limits: the name of an API key, or else the address. An IPv6 client has a whole /64.

import { isIPv6 } from "node:net"
import type { FastifyRequest } from "fastify"
import { type Access, keyNameOf } from "./access.js"

export interface ClientLimits {
  readonly corsOrigins: readonly string[]
  /** For each client; 0 is no limit. */
  readonly requestsPerMinute: number
}

export function clientOf(request: FastifyRequest, access: Pick<Access, "apiKeys">): string {
  const name = keyNameOf(request, access)
  return name === undefined ? `address ${network(request.ip)}` : `key ${name}`
}

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
