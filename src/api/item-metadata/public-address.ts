// Which addresses are of the public internet. Anything else could be a service of the operator's own network.

import { BlockList, isIP } from "node:net"

const v4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24
  203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`
/** Inside of 2000::/3, outside of which nothing is public. */
const v6 = "2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20"

const outside = new BlockList()
const add = (text: string, type: "ipv4" | "ipv6"): void => {
  for (const network of text.split(/\s+/)) {
    const [address, bits] = network.split("/") as [string, string]
    outside.addSubnet(address, Number(bits), type)
  }
}
add(v4, "ipv4")
add(v6, "ipv6")
const unicast = new BlockList()
unicast.addSubnet("2000::", 3, "ipv6")

/** False for whatever is no address at all. IPv4 in IPv6 in any of its forms is outside of 2000::/3, or in 2002::/16. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !outside.check(address, "ipv4")
  return family === 6 && unicast.check(address, "ipv6") && !outside.check(address, "ipv6")
}
