// The guide "Read the data": every example runs against a served store, with the answer that the guide promises.

import { join } from "node:path"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { curlsOf, examplesOf, importExample } from "./support/doc-examples.js"
import { livelyBlocks } from "./support/lively-blocks.js"
import { type ServedStore, serveStore } from "./support/served-store.js"

const page = "docs/guides/read-the-data.md"
let served: ServedStore

beforeAll(async () => {
  served = await serveStore(livelyBlocks({ seed: 7, from: 0, to: 40 }))
  await served.store.raw.query("update raw.chain_state set head_height = 39, finalized_height = 30")
}, 60_000)
afterAll(() => served.close())

/** The test's chain has another name than the demo. */
const examples = (language: string): string[] =>
  examplesOf(page, { language, url: served.url }).map((code) =>
    code.replaceAll(/\/demo\b/g, "/test").replaceAll(/chain(=|: ")demo/g, "chain$1test"),
  )

test("its requests are answered with rows and how far they are complete", async () => {
  const urls = examples("sh")
    .flatMap(curlsOf)
    .filter((url) => !url.includes("/stream"))
  expect(urls).toHaveLength(4)
  for (const url of urls) {
    const response = await fetch(url)
    const { data, meta } = (await response.json()) as { data: unknown[]; meta?: { data_watermark: string } }
    expect([url, response.status, data.length > 0]).toEqual([url, 200, true])
    if (!url.endsWith("/tables")) expect(meta?.data_watermark).toBe("39")
  }
})

test("its GraphQL is answered from one snapshot", async () => {
  const [query] = examples("graphql")
  const response = await fetch(`${served.url}/graphql/test`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query }),
  })
  expect(await response.json()).toMatchObject({
    data: { _meta: { watermark: "39" }, blocks: { nodes: [{ height: "39" }, { height: "38" }] } },
  })
})

test("its use of the client runs", async () => {
  const [code] = examples("js")
  const lines: string[] = []
  const log = vi.spyOn(console, "log").mockImplementation((...line) => void lines.push(line.join(" ")))
  const client = join(import.meta.dirname, "..", "src", "client", "client.ts")
  await importExample("read-the-data", code!.replaceAll('"tidemark/client"', JSON.stringify(client)))
  log.mockRestore()
  expect(lines[0]).toBe("newest block 39, complete up to 39")
  expect(lines[1]).toMatch(/^2024-02-27 \d+$/)
})

test("its SQL runs, and both answers are of one snapshot", async () => {
  const [sql] = examples("sql")
  const [, transfers, checkpoint] = (await served.store.app.query(sql!)) as unknown as { rows: object[] }[]
  expect(transfers!.rows.length).toBeGreaterThan(1)
  expect(checkpoint!.rows).toEqual([{ last_height: "39" }])
})
