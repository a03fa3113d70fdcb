import { expect, test } from "vitest"
import { readHeaders, readProxy } from "./rpc-access.js"

const one = { name: "RPC_HEADERS", urls: ["https://a.io/v2/key", "wss://a.io/ws"] }
const two = { name: "RPC_HEADERS", urls: ["https://a.io", "https://b.io:8545/x"] }

test.each<[unknown, Record<string, string>]>([
  ["X-Api-Key: abc", { "x-api-key": "abc" }],
  ["x-api-key: a,b=; d, Authorization: Bearer x y", { "x-api-key": "a,b=; d", authorization: "Bearer x y" }],
  ['{"x-api-key": "abc"}', { "x-api-key": "abc" }],
  [{ "x-api-key": "abc" }, { "x-api-key": "abc" }],
])("%s goes to the host of the URLs", (given, expected) => {
  expect(readHeaders(given, one)).toEqual({ "a.io": expected })
})

test("with several hosts each header has its own, so that no provider gets another's key", () => {
  expect(() => readHeaders("x-api-key: abc", two)).toThrow(/must name the host/)
  expect(readHeaders({ "b.io:8545": { k: "abc" } }, two)).toEqual({ "b.io:8545": { k: "abc" } })
  expect(() => readHeaders({ "c.io": { k: "abc" } }, two)).toThrow(/no URL has that host/)
})

test.each<[unknown]>([
  ["secret-value"],
  ["{secret-value"],
  ['["secret-value"]'],
  ["x-api-key: secret-value\r\nhost: x"],
  [{ "x-api-key": 5 }],
  [{ host: "secret-value" }],
  [{ "bad name": "secret-value" }],
])("%s is refused without being shown", (given) => {
  const refusal = (() => {
    try {
      return readHeaders(given, one)
    } catch (error) {
      return (error as Error).message
    }
  })()
  expect(refusal).toMatch(/RPC_HEADERS/)
  expect(refusal).not.toContain("secret-value")
})

test("proxies are read from the usual variables, lower case first", () => {
  expect(readProxy({})).toBeUndefined()
  expect(readProxy({ NO_PROXY: "x" })).toBeUndefined()
  expect(readProxy({ HTTPS_PROXY: "http://p:1", https_proxy: "http://q:1", NO_PROXY: "x" })).toEqual({
    ...{ http: undefined, https: "http://q:1", no: "x" },
  })
  expect(() => readProxy({ HTTP_PROXY: "p:1 user:secret" })).toThrow(/^HTTP_PROXY must be an http/)
})
