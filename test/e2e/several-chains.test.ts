import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, expect, test } from "vitest"
import { startChainServer } from "../support/chain-server.js"
import { createTestDatabase } from "../support/test-database.js"
import { Workplace } from "./workplace.js"

const cleanUps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of cleanUps.splice(0).reverse()) await step()
})

test("a chain is stored and served while another one's node is dead, and that one joins when its node is back", async () => {
  const size = { blocks: 20, transactionsPerBlock: 1, logsPerBlock: 1, holders: 10 }
  const node = await startChainServer(size)
  cleanUps.push(() => node.stop())
  const late = await startChainServer(size)
  const port = Number(new URL(late.url).port)
  await late.stop()
  const chains: Record<string, unknown> = {}
  for (const [name, rpc] of Object.entries({ late: late.url, lively: node.url })) {
    const database = await createTestDatabase()
    cleanUps.push(() => database.drop())
    chains[name] = { rpc, dbRawUrl: database.url, workers: "none", frozenAfterBlocks: 0 }
  }
  const workplace = await Workplace.make()
  cleanUps.push(() => workplace.remove())
  await writeFile(join(workplace.directory, "tidemark.config.ts"), `export default ${JSON.stringify({ chains })}`)
  const child = workplace.start([], { FROZEN_AFTER_BLOCKS: "" })
  const { url } = await child.line(({ msg }) => msg === "listening")
  const get = async (path: string) => (await fetch(`${url}${path}`)).json()
  await expect
    .poll(() => get("/status"), { timeout: 120_000 })
    .toMatchObject({
      chains: [{ chain: "lively", watermark_height: "20" }],
      starting: [{ chain: "late", reason: expect.stringContaining("waiting for the node") }],
    })
  expect(await get("/v1/lively/blocks?limit=1")).toMatchObject({ data: [{ height: "20" }] })
  const back = await startChainServer({ ...size, port })
  cleanUps.push(() => back.stop())
  await expect
    .poll(() => get("/status"), { timeout: 120_000 })
    .toMatchObject({ chains: [{ chain: "lively" }, { chain: "late" }], starting: [] })
})
