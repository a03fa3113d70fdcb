import { expect, test } from "vitest"
import { type RefusalKind, refusalKind } from "./refusals.js"

const said = (code: number | null, message: string) => refusalKind({ code, message })

test.each<[RefusalKind, number | null, string]>([
  ["rate", 429, "Your app has exceeded its compute units per second capacity. If you have retries enabled, …"],
  ["rate", -32000, "Your app has exceeded its compute units per second capacity."],
  ["rate", -32005, "daily request count exceeded, request rate limited"],
  ["rate", -32005, "project ID request rate exceeded"],
  ["rate", -32007, "50/second request limit reached - reduce calls per second or upgrade your account"],
  ["rate", -32012, "credits limited to 6000/sec"],
  ["rate", -32012, "backend is over capacity"],
  ["rate", -32016, "over rate limit"],
  ["rate", -32024, "too many requests"],
  ["rate", -32029, ""],
  ["rate", -32090, "Too many requests, reason: call rate limit exhausted, retry in 10s"],
  ["rate", -32000, "rate limit exceeded"],
  ["rate", -32000, "Rate-limited: slow down"],
  ["rate", -32603, "Too Many Requests"],
  ["rate", -32000, '429 Too Many Requests: {"code":-32016}'],
  ["rate", -32001, "capacity exceeded"],
  ["rate", null, "Monthly capacity limit exceeded. Visit the dashboard to upgrade"],
  ["rate", -32000, "request was throttled"],
  ["rate", -32603, "quota exceeded"],
  ["rate", -32000, "You have exceeded the number of requests per second of your plan"],
  ["batch", -32005, "Batched requests are not supported by this server"],
  ["batch", -32600, "batch too large"],
  ["batch", -32600, "batches of more than 3 calls are not allowed"],
  ["batch", -32000, "maximum batch size is 10"],
  ["batch", -32010, "The batch request was too large"],
  ["batch", -32014, "too many RPC calls in batch request"],
  ["batch", -32600, "Batch size limit exceeded: 100"],
  ["size", -32003, "response too large"],
  ["size", -32008, "Response is too big"],
  ["size", -32007, "Request is too big"],
  ["size", -32000, "Response size exceeded. Maximum allowed is 150MB"],
  ["size", -32020, "backend response too large"],
  ["size", -32011, "The batch response was too large"],
])("%s: %s %s", (kind, code, message) => {
  expect(said(code, message)).toBe(kind)
})

test.each<[number | null, string]>([
  [-32601, "the method eth_getBlockReceipts does not exist/is not available"],
  [-32602, "invalid argument 0: hex string without 0x prefix"],
  [-32000, "header not found"],
  [-32000, "missing trie node 4f5e (path )"],
  [4444, "pruned history unavailable"],
  [-32603, "internal error"],
  [-32000, "gas limit exceeded"],
  [-32000, "exceeds block gas limit"],
  [-32000, "intrinsic gas too low"],
  [null, ""],
])("%s %s is about the call, not about how much was asked for", (code, message) => {
  expect(said(code, message)).toBeUndefined()
})

test("the text of a contract's revert is no refusal", () => {
  expect(said(3, "execution reverted: rate limit exceeded")).toBeUndefined()
  expect(said(-32000, "execution reverted: too many requests")).toBeUndefined()
  expect(said(3, "too many requests")).toBeUndefined()
})

test("HTTP 429 is a refusal whatever the body says, and 503 is one with Retry-After only", () => {
  const of = (httpStatus: number, hasRetryAfter = false) =>
    refusalKind({ httpStatus, hasRetryAfter, code: null, message: "" })
  expect(of(429)).toBe("rate")
  expect(of(503, true)).toBe("rate")
  expect(of(503)).toBeUndefined()
  expect(of(413)).toBe("size")
  expect(of(500, true)).toBeUndefined()
})
