import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { parseAbi } from "../families/evm/parse-abi.js"
import { type LoadConfigOptions, loadConfig, reservedChainNames } from "./load-config.js"
import { choice } from "./setting.js"

let cwd: string
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "tidemark-config-"))
})
afterEach(() => rm(cwd, { recursive: true }))

const family = {
  settings: { depth: choice({ env: "DEPTH", of: ["low", "high"], fallback: "low", help: "" }) },
  checkNames: ["parent", "sums"],
  parseAbi,
}
const load = (over: Partial<LoadConfigOptions> = {}) =>
  loadConfig({ cwd, env: {}, flags: {}, familyOf: () => family, ...over })
const configFile = (body: string) => writeFile(join(cwd, "tidemark.config.ts"), `export default ${body}`)

describe("the config", () => {
  test("is the demo chain with defaults when nothing is set", async () => {
    const config = await load()
    expect(config.process).toMatchObject({
      port: 8080,
      host: "127.0.0.1",
      rangeSize: 1_000,
      leaseTtlMs: 30_000,
    })
    expect(config.chains).toMatchObject([{ name: "demo", demo: true, backfill: "oldest" }])
    expect(Object.values(config.chains[0]!.checks).every((on) => on)).toBe(true)
  })

  test("checks are switched by the environment too, which overrides the file", async () => {
    await configFile(`{ chains: { one: { rpc: "http://one.example", checks: { parent: false } } } }`)
    const checks = async (text: string) => (await load({ env: { CHECKS: text } })).chains[0]!.checks
    expect(await checks("sums:off")).toEqual({ parent: false, sums: false })
    expect(await checks("parent:on, sums:off")).toEqual({ parent: true, sums: false })
    expect(await checks("")).toEqual({ parent: false, sums: true })
  })

  test.each(["sums", "sums=off", "sums:no", "roots:off"])(
    "CHECKS=%s is refused with the checks there are",
    async (text) => {
      await expect(load({ env: { CHECKS: text } })).rejects.toThrow(/CHECKS has the entry ".*parent:off.*parent, sums/)
    },
  )

  test("CHECKS is refused where several chains could be meant", async () => {
    await configFile(`{ chains: { one: { rpc: "http://one.example" }, two: { rpc: "http://two.example" } } }`)
    await expect(load({ env: { CHECKS: "sums:off" } })).rejects.toThrow("CHECKS cannot be set while")
  })

  test.each(reservedChainNames)("a chain cannot be called %s, which is a route", async (name) => {
    await configFile(`{ chains: { ${name}: { rpc: "http://one.example" } } }`)
    await expect(load()).rejects.toThrow(`chains.${name}: this name is reserved`)
  })

  test("flags override the environment, the environment the file, and the file the defaults", async () => {
    await configFile(`{ rangeSize: 7, leaseTtlMs: 1111, port: 1 }`)
    const config = await load({ env: { LEASE_TTL_MS: "2222", PORT: "2" }, flags: { port: "3" } })
    expect(config.process).toMatchObject({ rangeSize: 7, leaseTtlMs: 2222, port: 3 })
  })

  test("RPC_URL is a list; ws entries announce heads", async () => {
    const config = await load({ env: { RPC_URL: "http://a/k1, https://b/k2,wss://c/k3" } })
    expect(config.chains).toMatchObject([
      { name: undefined, demo: false, rpcUrls: ["http://a/k1", "https://b/k2"], wsUrls: ["wss://c/k3"] },
    ])
  })

  test("a chain's checks can be turned off one by one", async () => {
    await configFile(`{ chains: { odd: { rpc: "http://a", checks: { sums: false } } } }`)
    const { checks } = (await load()).chains[0]!
    expect(checks).toEqual({ sums: false, parent: true })
  })

  test("a chain's ABIs are checked by its family, and their addresses are lower case", async () => {
    const ping = `{ type: "event", name: "Ping", inputs: [] }`
    const address = `0x${"Ab".repeat(20)}`
    const abis = (list: string) => configFile(`{ chains: { a: { rpc: "http://one", abis: ${list} } } }`)
    await abis(`[{ name: "Vault", address: "${address}", abi: [${ping}] }, { name: "any", abi: [${ping}] }]`)
    expect((await load()).chains[0]!.abis).toEqual([
      { name: "Vault", address: address.toLowerCase(), abi: [{ type: "event", name: "Ping", inputs: [] }] },
      { name: "any", address: null, abi: [{ type: "event", name: "Ping", inputs: [] }] },
    ])
  })

  test.each([
    [`{}`, "must be a list"],
    [`[{ name: "a b", address: "0x12", abi: [] }]`, "abis[0].address"],
    [`[{ name: "<b>", abi: [] }]`, "abis[0].name"],
    [`[{ name: "a", abi: [{ type: "event", name: "<b>" }] }]`, "entry 0 has no valid name"],
    [`[{ name: "a", abi: [], more: 1 }]`, "more is not a setting"],
  ])("ABIs that are not valid are refused: %s", async (list, message) => {
    await configFile(`{ chains: { a: { rpc: "http://one", abis: ${list} } } }`)
    await expect(load()).rejects.toThrow(message)
  })

  test("the family's settings are read like the others, and kept apart", async () => {
    await configFile(`{ chains: { odd: { rpc: "http://a", depth: "high" } } }`)
    expect((await load()).chains[0]).toMatchObject({ familySettings: { depth: "high" } })
    expect((await load({ env: { DEPTH: "low" } })).chains[0]).toMatchObject({ familySettings: { depth: "low" } })
    const loading = load({ flags: { depth: "middle" } })
    await expect(loading).rejects.toMatchObject({ message: '--depth is "middle", but must be "low" or "high"' })
  })

  test.each([
    [{ env: { RANGE_SIZE: "0" } }, 'RANGE_SIZE is "0", but must be a whole number from 1'],
    [{ env: { PORT: "http" } }, 'PORT is "http", but must be a whole number from 0 to 65535'],
    [{ flags: { backfill: "sideways" } }, '--backfill is "sideways", but must be "oldest" or "newest"'],
    [{ env: { RPC_URL: "ftp://secret" } }, "RPC_URL has an entry that is not an http, https, ws or wss URL"],
    [{ env: { RPC_URL: "ws://only" } }, "needs at least one http:// or https:// URL"],
    [{ env: { DB_APP_URL: "postgres://x" } }, "DB_APP_URL is set without DB_RAW_URL"],
    [{ configFile: "nowhere.ts" }, "--config names nowhere.ts, which does not exist"],
  ])("an invalid value is rejected with its name, the value and what is allowed: %j", async (options, message) => {
    await expect(load(options)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining(message),
    })
  })

  test.each([
    ["{ rangesize: 5 }", "rangesize is not a setting; known are port"],
    [
      `{ chains: { a: { rpc: "http://a", checks: { sum: false } } } }`,
      "chains.a.checks.sum is not a setting; known are parent, sums",
    ],
    [`{ chains: { a: { rpc: "http://a", checks: true } } }`, "must be an object such as { parent: false }"],
    [
      `{ chains: { a: { rpc: "http://a", startBlock: -1 } } }`,
      "chains.a.startBlock is -1, but must be a whole number",
    ],
    [`{ chains: { "A B": { rpc: "http://a" } } }`, "a chain's name must be lower case"],
  ])("an invalid file is rejected: %s", async (body, message) => {
    await configFile(body)
    await expect(load()).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining(message),
    })
  })

  test("a secret in an invalid value is not shown", async () => {
    const loading = load({ env: { DB_RAW_URL: "mysql://user:hunter2@host" } })
    await expect(loading).rejects.toMatchObject({ message: expect.not.stringContaining("hunter2") })
  })

  test("per-chain variables are rejected when the config has several chains", async () => {
    await configFile(`{ chains: { a: { rpc: "http://a" }, b: { rpc: "http://b" } } }`)
    expect((await load()).chains.map(({ name }) => name)).toEqual(["a", "b"])
    const loading = load({ env: { START_BLOCK: "5", DEPTH: "low" } })
    await expect(loading).rejects.toMatchObject({
      message: expect.stringContaining("START_BLOCK, DEPTH cannot be set"),
    })
  })
})
