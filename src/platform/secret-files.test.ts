import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { loadConfig } from "./load-config.js"
import { secretVariables } from "./secret-files.js"

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tidemark-secrets-"))
})
afterAll(() => rm(directory, { recursive: true }))

async function file(content: string): Promise<string> {
  const path = join(directory, `${Buffer.from(content).toString("base64url").slice(-40)}.txt`)
  await writeFile(path, content)
  return path
}
async function chainOf(env: Record<string, string>) {
  const familyOf = () => ({ settings: {}, checkNames: [], parseAbi: () => [] })
  const { chains } = await loadConfig({ cwd: directory, env, flags: {}, familyOf })
  return chains[0]!
}

describe("secrets from files", () => {
  test("are what the variable would have, for every variable that holds one", async () => {
    const url = (name: string) => `postgres://tidemark:hidden@db.example/${name}`
    const chain = await chainOf({
      DB_RAW_URL_FILE: await file(`${url("raw")}\n`),
      DB_APP_URL_FILE: await file(url("app")),
      DB_RAW_READ_URL_FILE: await file(`# a replica\n${url("raw-read")}\r\n`),
      DB_APP_READ_URL_FILE: await file(`\n${url("app-read")}\n`),
      RPC_URL_FILE: await file("https://a.example/k1\n# announces heads\nwss://a.example/k1\n"),
      RPC_HEADERS_FILE: await file("x-api-key: hidden\nx-other: two\n"),
    })
    expect(chain).toMatchObject({
      ...{ dbRawUrl: url("raw"), dbAppUrl: url("app"), dbRawReadUrl: url("raw-read"), dbAppReadUrl: url("app-read") },
      ...{ rpcUrls: ["https://a.example/k1"], wsUrls: ["wss://a.example/k1"] },
      rpcHeaders: { "a.example": { "x-api-key": "hidden", "x-other": "two" } },
    })
    const json = await file(`{\n  "a.example": { "x-api-key": "hidden" }\n}\n`)
    expect(await chainOf({ RPC_URL: "https://a.example", RPC_HEADERS_FILE: json })).toMatchObject({
      rpcHeaders: { "a.example": { "x-api-key": "hidden" } },
    })
  })

  test.each(secretVariables)(
    "%s_FILE is refused beside the variable, when empty, and when it cannot be read",
    async (name) => {
      const given = (path: string) => chainOf({ RPC_URL: "", [`${name}_FILE`]: path })
      await expect(given(join(directory, "absent"))).rejects.toThrow(`${name}_FILE cannot be read`)
      await expect(given(await file(" \n"))).rejects.toThrow(`${name}_FILE is empty`)
      const both = chainOf({ [name]: "hidden", [`${name}_FILE`]: await file("hidden") })
      await expect(both).rejects.toThrow(`${name} and ${name}_FILE are both set`)
      // An empty variable counts as not set.
      await expect(chainOf({ [`${name}_FILE`]: "" })).resolves.toMatchObject({ demo: true })
    },
  )

  test("that are wrong are not shown", async () => {
    const wrong = [
      { DB_RAW_URL_FILE: await file("hidden-one\nhidden-two") },
      { DB_RAW_URL_FILE: await file("hidden") },
      { RPC_URL_FILE: await file("hidden") },
      { RPC_URL: "http://a.example", RPC_HEADERS_FILE: await file("{ hidden") },
    ]
    for (const env of wrong) await expect(chainOf(env)).rejects.toThrow(/^(?!.*hidden)/s)
  })
})
