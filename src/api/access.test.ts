import crypto from "node:crypto"
import { syncBuiltinESMExports } from "node:module"
import type { FastifyRequest } from "fastify"
import { expect, test, vi } from "vitest"
import { hasAdminToken, hasUnknownKey, keyNameOf } from "./access.js"

const adminToken = "a-token-of-enough-characters"
const apiKeys = [
  { name: "ann", key: "first" },
  { name: "ann", key: "second" },
  { name: "bob", key: "third" },
]
const request = (headers: Record<string, string | string[]>, query: object = {}) =>
  ({ headers, query }) as unknown as FastifyRequest

test("only the whole token is the token, and there is none where none is set", () => {
  const has = (authorization: string, token: string | undefined = adminToken) =>
    hasAdminToken(request({ authorization }), { adminToken: token })
  expect(has(`Bearer ${adminToken}`)).toBe(true)
  expect(has(`bearer   ${adminToken}`)).toBe(true)
  for (const given of [
    ...["", "Bearer", "Bearer ", "Bearer undefined", `Basic ${adminToken}`, adminToken],
    ...[`Bearer ${adminToken.slice(0, -1)}`, `Bearer ${adminToken}x`, `Bearer ${adminToken} ${adminToken}`],
    ...[`Bearer ${adminToken.toUpperCase()}`, `Bearer x${adminToken.slice(1)}`],
  ])
    expect(has(given), given).toBe(false)
  expect(hasAdminToken(request({ authorization: "Bearer undefined" }), { adminToken: undefined })).toBe(false)
})

test("a key is known by its whole text, as a header or a parameter, and all keys are compared", () => {
  expect(keyNameOf(request({ "x-api-key": "second" }), { apiKeys })).toBe("ann")
  expect(keyNameOf(request({}, { apikey: "third" }), { apiKeys })).toBe("bob")
  for (const given of ["", "thir", "thirdx", "THIRD"])
    expect(keyNameOf(request({ "x-api-key": given }), { apiKeys })).toBeUndefined()
  expect(hasUnknownKey(request({ "x-api-key": "x" }), { apiKeys })).toBe(true)
  expect(hasUnknownKey(request({ "x-api-key": "x" }), { apiKeys: [] })).toBe(false)
  expect(hasUnknownKey(request({}), { apiKeys })).toBe(false)
})

test("secrets are compared in constant time, whatever their lengths and wherever they differ", () => {
  const compare = vi.spyOn(crypto, "timingSafeEqual")
  syncBuiltinESMExports()
  hasAdminToken(request({ authorization: "Bearer a" }), { adminToken })
  expect(compare).toHaveBeenCalledTimes(1)
  // The first that fits does not end the search.
  keyNameOf(request({ "x-api-key": "first" }), { apiKeys })
  expect(compare).toHaveBeenCalledTimes(1 + apiKeys.length)
  for (const [a, b] of compare.mock.calls) expect((a as Buffer).length).toBe((b as Buffer).length)
  compare.mockRestore()
  syncBuiltinESMExports()
})
