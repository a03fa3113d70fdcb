// The page at /graphql in a real browser: it asks, shows errors and the schema, and loads nothing from elsewhere.

import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { livelyBlocks } from "../support/lively-blocks.js"
import { type ServedStore, serveStore } from "../support/served-store.js"
import { findChromium } from "./find-chromium.js"
import { axeFindings, type OpenPages, openPages } from "./open-pages.js"

const chromium = findChromium()
let served: ServedStore
let pages: OpenPages
let page: Page

beforeAll(async () => {
  if (!chromium) return
  served = await serveStore(livelyBlocks({ seed: 4, from: 0, to: 12 }))
  pages = (await openPages(served.url))!
  page = await pages.open()
}, 60_000)
afterAll(async () => {
  await pages?.close()
  await served?.close()
})

/** Until the example that it begins with was answered. */
async function open(): Promise<void> {
  await page.goto("/graphql")
  await expect.poll(() => page.locator("#state").textContent(), { timeout: 20_000 }).toMatch(/\d+ ms$/)
}

/** Runs a query by the keyboard, and returns what it says once that has the expected text. */
async function run(query: string, expected: string, variables = "{}"): Promise<string> {
  await page.locator("#query").fill(query)
  if (!(await page.locator("#variables").isVisible())) await page.locator("summary").click()
  await page.locator("#variables").fill(variables)
  const result = page.locator("#result")
  // What was answered before may have the text too.
  await result.evaluate((element) => Object.assign(element, { value: "" }))
  await page.locator("#query").press("Control+Enter")
  await expect.poll(() => result.inputValue(), { timeout: 20_000 }).toContain(expected)
  return result.inputValue()
}

test.skipIf(!chromium)(
  "the page asks, with variables, and shows data and errors",
  async () => {
    await open()
    const query = "query ($n: Int!) { last: blocks(first: $n) { nodes { height } } }"
    const data = await run(query, '"height": "11"', '{ "n": 1 }')
    expect(JSON.parse(data)).toEqual({ data: { last: { nodes: [{ height: "11" }] } } })
    expect(await run("{ blocks { nodes { nothing } } }", "GRAPHQL_VALIDATION_FAILED")).toContain("nothing")
    expect(await run('{ ft_transfers(where: { amount: "1" }) { nodes { amount } } }', "errors")).toContain("amount")
  },
  60_000,
)

test.skipIf(!chromium)(
  "it shows the schema, and finds a table in it by a column",
  async () => {
    await open()
    const entry = (name: string) => page.locator("#fields code", { hasText: new RegExp(`^${name} $`) })
    await entry("ft_transfers").waitFor()
    await page.locator("#find").fill("gas_price")
    await entry("ft_transfers").waitFor({ state: "detached" })
    await entry("evm_transactions").waitFor()
    expect(await axeFindings(page)).toEqual([])
    expect(pages.faults).toEqual([])
  },
  60_000,
)
