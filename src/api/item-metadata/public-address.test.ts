import { expect, test } from "vitest"
import { isPublicAddress } from "./public-address.js"

test.each([
  ..."0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.255.255 169.254.169.254 172.16.0.1 172.31.255.255".split(" "),
  ..."192.0.0.8 192.0.2.1 192.168.0.1 198.18.0.1 198.51.100.1 203.0.113.9 224.0.0.1 240.0.0.1".split(" "),
  ...":: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:8.8.8.8 64:ff9b::7f00:1 64:ff9b:1::1 100::1".split(" "),
  ..."2001:db8::1 2001::1 2002:7f00:1::1 3fff::1 fc00::1 fd12::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1".split(" "),
  ..."255.255.255.255 localhost 2130706433 0x7f000001 127.1 8.8.8.8.".split(" "),
  "",
])("%s is not public", (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test.each([..."1.1.1.1 8.8.8.8 172.32.0.1 100.128.0.1 223.255.255.254 2606:4700::1111 2a00:1450::1".split(" ")])(
  "%s is public",
  (address) => {
    expect(isPublicAddress(address)).toBe(true)
  },
)
