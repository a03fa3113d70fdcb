import { expect, test } from "vitest"
import { network } from "./client-limits.js"

test("an IPv6 client is its /64, an IPv4 client its address, however it is written", () => {
  expect(network("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2")
  expect(network("2001:db8:1:2::9")).toBe("2001:db8:1:2")
  expect(network("2001:0db8::1")).toBe("2001:db8:0:0")
  expect(network("::1")).toBe("0:0:0:0")
  expect(network("::ffff:192.0.2.1")).toBe("192.0.2.1")
  expect(network("192.0.2.1")).toBe("192.0.2.1")
})
