import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type AccessSettings, isLoopback, resolveAccess } from "./resolve-access.js"

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tidemark-access-"))
})
afterAll(() => rm(directory, { recursive: true }))

const none: AccessSettings = {
  ...{ host: "127.0.0.1", adminToken: undefined, adminTokenFile: undefined, ops: "auto" },
  ...{ apiKeys: undefined, apiKeysFile: undefined, trustProxy: undefined },
}
const resolved = (over: Partial<AccessSettings>) => resolveAccess({ ...none, ...over })
async function file(content: string): Promise<string> {
  const path = join(directory, `${content.length}`)
  await writeFile(path, content)
  return path
}

describe("the admin token", () => {
  test("of fewer than 16 characters is refused where other machines reach the server", () => {
    for (const host of ["0.0.0.0", "::", "192.0.2.7", "tidemark.example"])
      expect(() => resolved({ host, adminToken: "a".repeat(15) })).toThrow(/fewer than 16 characters.*HOST/)
    expect(resolved({ host: "0.0.0.0", adminToken: "a".repeat(16) }).adminToken).toBe("a".repeat(16))
    expect(resolved({ host: "::1", adminToken: "short" }).adminToken).toBe("short")
  })

  test("comes from a file too, and not from both; no message shows it", async () => {
    expect(resolved({ adminTokenFile: await file("from-a-file\n") }).adminToken).toBe("from-a-file")
    const both = { adminToken: "hidden-token", adminTokenFile: "x" }
    expect(() => resolved(both)).toThrow("both set")
    const two = await file("hidden-one\nhidden-two\n")
    expect(() => resolved({ adminTokenFile: two })).toThrow(/^(?!.*hidden).*one line/)
    expect(() => resolved({ adminTokenFile: join(directory, "absent") })).toThrow("ADMIN_TOKEN_FILE cannot be read")
  })
})

test("what operators see is public on loopback only, unless OPS says otherwise", () => {
  expect(resolved({}).opsIsPublic).toBe(true)
  expect(resolved({ host: "0.0.0.0" }).opsIsPublic).toBe(false)
  expect(resolved({ ops: "token" }).opsIsPublic).toBe(false)
  expect(resolved({ host: "0.0.0.0", ops: "public" }).opsIsPublic).toBe(true)
  expect(["127.0.0.1", "127.8.9.1", "::1", "localhost"].every(isLoopback)).toBe(true)
  expect(["0.0.0.0", "::", "10.0.0.1", "localhost.example", "1127.0.0.1"].some(isLoopback)).toBe(false)
})

test("API keys come from a file too, and a name may have two keys while one is replaced", async () => {
  const [old, next] = ["a".repeat(16), "b".repeat(16)]
  const keys = [
    { name: "one", key: old },
    { name: "one", key: next },
  ]
  expect(resolved({ apiKeys: `one:${old},one:${next}` }).apiKeys).toEqual(keys)
  expect(resolved({ apiKeysFile: await file(`# of the explorer\none:${old}\n\none:${next}\n`) }).apiKeys).toEqual(keys)
  const short = await file("one:hidden")
  expect(() => resolved({ apiKeysFile: short })).toThrow(/^(?!.*hidden).*name:key/)
})

test("proxies are trusted by address, network or name, and nothing else is accepted", () => {
  const text = "loopback,10.0.0.0/8,192.0.2.1,2001:db8::/32"
  expect(resolved({ trustProxy: text }).trustedProxies).toEqual(text.split(","))
  for (const wrong of ["1", "true", "10.0.0.0/33", "proxy.example", "10.0.0/8", "::/129"])
    expect(() => resolved({ trustProxy: wrong })).toThrow("TRUST_PROXY")
})
