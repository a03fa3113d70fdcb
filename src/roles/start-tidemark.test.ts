import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { startChainServer } from "../../test/support/chain-server.js"
import { createTestDatabase } from "../../test/support/test-database.js"
import { systemClock } from "../platform/clock.js"
import { freePort } from "../platform/free-port.js"
import { loadConfig } from "../platform/load-config.js"
import { silentLogger } from "../platform/logger.js"
import { systemRandom } from "../platform/random.js"
import { familyOf } from "./family-of.js"
import { startTidemark } from "./start-tidemark.js"

let directory: string
const cleanUps: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "tidemark-start-"))
  cleanUps.push(() => rm(directory, { recursive: true }))
})
afterEach(async () => {
  for (const step of cleanUps.splice(0).reverse()) await step()
})

const nowhere = async (protocol: string): Promise<string> => `${protocol}://127.0.0.1:${await freePort()}`

async function start(given: Readonly<Record<string, { readonly rpc: string; readonly dbRawUrl?: string }>>) {
  const chains: Record<string, unknown> = {}
  for (const [name, { rpc, dbRawUrl }] of Object.entries(given)) {
    const database = await createTestDatabase()
    cleanUps.push(() => database.drop())
    chains[name] = { rpc, dbRawUrl: dbRawUrl ?? database.url, workers: "none" }
  }
  await writeFile(join(directory, "tidemark.config.ts"), `export default ${JSON.stringify({ chains })}`)
  const config = await loadConfig({ cwd: directory, env: {}, flags: { port: "0" }, familyOf })
  const tidemark = await startTidemark(
    { clock: systemClock, random: systemRandom, logger: silentLogger },
    {
      ...{ config, roles: ["maintain"], version: "test", exitWhenDone: false, signal: new AbortController().signal },
      ...{ onStage: () => undefined, onDone: () => undefined },
    },
  )
  cleanUps.push(() => tidemark.stop())
  const get = async (path: string) => (await fetch(`${tidemark.httpUrl}${path}`)).json()
  return { tidemark, get }
}

describe("a process with several chains", () => {
  test.each([
    { what: "node", waits: "waiting for the node" },
    { what: "database", waits: "waiting for the database" },
  ])("runs the others while the $what of the first does not answer, and says so", async ({ what, waits }) => {
    const node = await startChainServer()
    cleanUps.push(() => node.stop())
    const silent =
      what === "node"
        ? { rpc: await nowhere("http") }
        : { rpc: node.url, dbRawUrl: `${await nowhere("postgres")}/none` }
    const { tidemark, get } = await start({ silent, lively: { rpc: node.url } })
    await expect.poll(() => tidemark.chains().map(({ name }) => name)).toEqual(["lively"])
    await expect
      .poll(() => get("/status"))
      .toMatchObject({
        chains: [{ chain: "lively" }],
        starting: [{ chain: "silent", reason: expect.stringContaining(waits) }],
      })
    expect(await get("/ready")).toMatchObject({ ready: false, starting: [{ chain: "silent" }] })
    await tidemark.stop()
    await expect(tidemark.started).rejects.toBeDefined()
  })

  test("has started once all of them run", async () => {
    const node = await startChainServer()
    cleanUps.push(() => node.stop())
    const { tidemark, get } = await start({ one: { rpc: node.url } })
    await tidemark.started
    expect(tidemark.chains()).toMatchObject([{ name: "one" }])
    expect(await get("/status")).toMatchObject({ chains: [{ chain: "one" }], starting: [] })
  })
})
