// The console in a real browser, on one served store: every section, in both themes and on a phone.

import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { livelyBlocks } from "../support/lively-blocks.js"
import { type ServedStore, serveStore } from "../support/served-store.js"
import { findChromium } from "./find-chromium.js"
import { axeFindings, type OpenPages, openPages, settled } from "./open-pages.js"

const head = 59
const token = "t".repeat(32)
const sections = ["", "/map", "/work", "/incidents", "/nodes", "/store", "/audit"]

let served: ServedStore
let guarded: ServedStore
let pages: OpenPages
let page: Page

const chromium = findChromium()
const lease = (schema: "raw" | "app", worker: string, height: number, status: string, error: string) =>
  served.store[schema].query(
    `insert into ${schema}.worker_leases (worker_type, from_height, to_height, status, attempt, epoch, lease_ttl_ms,
       next_attempt_at, last_error, last_error_code, last_error_at)
     values ($1, $2::int8, $2::int8 + 1, $3, 4, gen_random_uuid(), 1, clock_timestamp() + interval '1 minute', $4,
       'WORKER_FAILED', clock_timestamp())`,
    [worker, height, status, error],
  )
const access = { adminToken: token, opsIsPublic: true, apiKeys: [], trustedProxies: [] }

beforeAll(async () => {
  if (!chromium) return
  served = await serveStore(livelyBlocks({ seed: 7, from: 0, to: head + 1 }), { live: true, access })
  const { raw, app } = served.store
  await raw.query("update raw.chain_state set head_height = $1, finalized_height = 40", [head])
  await lease("raw", "raw_ingester", 60, "FAILED", "connect to https://node.example/secret failed")
  await app.query("update app.coverage set heights = heights - '{[30,31)}' where worker_type = 'ft_holdings_worker'")
  await lease("app", "ft_holdings_worker", 30, "DEAD", "<img src=x onerror=hacked=1> no room")
  await app.query("update app.workers set paused = true, paused_reason = 'tired' where name = 'stats_worker'")
  await served.series.runOnce()
  guarded = await served.again({ access: { ...access, opsIsPublic: false } })
  pages = (await openPages(served.url))!
  page = await pages.open()
}, 120_000)
afterAll(async () => {
  await pages?.close()
  await guarded?.close()
  await served?.close()
})

describe.skipIf(!chromium)("the console", () => {
  test("has every section, without serious findings of axe in both themes", async () => {
    const findings: string[] = []
    for (const section of sections) {
      await page.emulateMedia({ colorScheme: "light" })
      await page.goto(`/console/test${section}`)
      await settled(page)
      expect(await page.getByRole("alert").count(), section).toBe(0)
      findings.push(...(await axeFindings(page)).map((finding) => `${section}, light: ${finding}`))
      await page.emulateMedia({ colorScheme: "dark" })
      findings.push(...(await axeFindings(page, ["color-contrast"])).map((finding) => `${section}, dark: ${finding}`))
    }
    expect(findings).toEqual([])
    expect(pages.faults).toEqual([])
  })

  test("is reached from the explorer, and says what the doctor says", async () => {
    await page.goto("/test")
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Console" }).click()
    await page.waitForURL("**/console/test")
    await page.getByRole("status", { name: "The doctor's verdict" }).getByText("It is at the head.").waitFor()
    await page.goto("/console")
    await page.waitForURL("**/console/test")
  })

  test("has a map that says at the pointer what is there, and opens it with a click and with keys", async () => {
    await page.goto("/console/test/map")
    await settled(page)
    const map = page.getByRole("application", { name: /^Coverage of 12 workers/ })
    await map.waitFor()
    // A row for each worker, below those that it depends on: 18 pixels of room, 26 for each.
    const names = await page.locator("main ul").first().locator("li").allTextContents()
    const row = names.indexOf("ft_holdings_worker")
    expect(names[0]).toBe("raw_ingester")
    expect(row).toBeGreaterThan(names.indexOf("token_worker"))
    const { width } = (await map.boundingBox())!
    const place = { x: (width * 30.5) / (head + 1), y: 18 + 26 * row + 12 }
    await map.hover({ position: place })
    await page.getByText("ft_holdings_worker · 30 · dead: it waits for you").waitFor()
    await map.click({ position: place })
    await page.getByRole("heading", { name: "ft_holdings_worker, 30" }).waitFor()
    await page.getByText("dead after 4 tries").waitFor()
    await page.getByText("<img src=x onerror=hacked=1> no room").first().waitFor()
    await page.getByRole("button", { name: "Retry ft_holdings_worker, block 30" }).waitFor()
    expect(new URL(page.url()).search).toContain("worker=ft_holdings_worker")
    await page.goto("/console/test/map")
    await map.focus()
    for (let at = 0; at < row; at++) await page.keyboard.press("ArrowDown")
    await page.getByText("ft_holdings_worker · 30 · dead").waitFor()
    await page.keyboard.press("ArrowRight")
    await page.getByText("ft_holdings_worker · 31 · complete").waitFor()
    await page.keyboard.press("Enter")
    await page.getByText("There is no work left here.").waitFor()
    expect(pages.faults).toEqual([])
  })

  test("zooms with the wheel, selects by dragging, and keeps the place in the address", async () => {
    await page.goto("/console/test/map")
    await settled(page)
    const map = page.getByRole("application", { name: /^Coverage of 12 workers/ })
    await map.waitFor()
    const { x, y, width } = (await map.boundingBox())!
    await page.mouse.move(x + width / 2, y + 60)
    await page.mouse.wheel(0, -400)
    await page.waitForURL(/from=\d+&to=\d+/)
    const placeOf = (): [number, number] => {
      const { searchParams } = new URL(page.url())
      return [Number(searchParams.get("from")), Number(searchParams.get("to"))]
    }
    const [from, to] = placeOf()
    expect(to - from).toBeLessThan(head)
    expect(from).toBeLessThan(30)
    expect(to).toBeGreaterThan(30)
    await page.getByRole("button", { name: "All" }).click()
    await page.waitForURL((url) => url.search === "")
    await page.mouse.move(x + width * 0.25, y + 60)
    await page.mouse.down()
    await page.mouse.move(x + width * 0.5, y + 60, { steps: 3 })
    await page.mouse.up()
    await page.waitForURL(/from=1[45]&to=3[01]/)
    await page.reload()
    await settled(page)
    await page.waitForURL(/from=1[45]&to=3[01]/)
    await map.focus()
    await page.keyboard.press("0")
    await page.waitForURL((url) => url.search === "" || url.search === "?from=0&to=60")
    expect(pages.faults).toEqual([])
  })

  test("says what to look at first, and has a history that a reload shows", async () => {
    await page.goto("/console/test")
    const first = page.getByRole("region", { name: "Look at this first" }).getByRole("listitem")
    await first.first().waitFor()
    expect(await first.allTextContents()).toEqual([
      "ft_holdings_worker1 dead block",
      "stats_workerpaused: tired",
      expect.stringMatching(/^raw_ingester1 range failed, and will be tried again; it holds back 11 other workers$/),
    ])
    const graph = page.getByRole("region", { name: "Dependencies" })
    await graph.getByRole("link", { name: "ft_holdings_worker dead block" }).waitFor()
    await graph.getByRole("link", { name: "stats_worker paused" }).waitFor()
    for (let load = 0; load < 2; load++) {
      const history = page.getByRole("region", { name: "Lag", exact: true }).last()
      await history.getByRole("button", { name: "raw_ingester" }).getByText("0", { exact: true }).waitFor()
      await page.reload()
    }
    await page.getByRole("button", { name: "month" }).click()
    await page.getByRole("button", { name: "Watermark" }).click()
    await page.getByRole("button", { name: /^token_worker\s*59$/ }).waitFor()
  })

  test("asks for the token where operators' routes need it, and keeps it in its tab alone", async () => {
    const own = await openPages(guarded.url)
    const other = await own!.open()
    await other.goto("/console/test")
    await other.getByLabel("Admin token").fill("not the token, but long")
    await other.keyboard.press("Enter")
    await other.getByText("This is not the admin token").waitFor()
    await other.getByLabel("Admin token").fill(token)
    await other.keyboard.press("Enter")
    await other.getByText("admin@127.0.0.1").waitFor()
    await other.getByText("The admin token is needed").waitFor({ state: "detached" })
    expect(await other.evaluate("sessionStorage.length + localStorage.length")).toBe(1)
    await other.getByRole("button", { name: "Forget token" }).click()
    await other.getByText("The admin token is needed").waitFor()
    await own!.close()
  })

  test("stands still while it is paused", async () => {
    await page.goto("/console/test")
    await settled(page)
    await page.getByRole("button", { name: "Pause" }).click()
    const asked: string[] = []
    page.on("request", (request) => asked.push(request.url()))
    await page.clock.install()
    await page.clock.runFor(60_000)
    expect(asked).toEqual([])
    await page.getByRole("button", { name: "Paused" }).click()
    await expect.poll(() => asked.length).toBeGreaterThan(2)
    page.removeAllListeners("request")
  })

  test("fits a phone", async () => {
    const phone = await pages.open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
    for (const section of sections) {
      await phone.goto(`/console/test${section}`)
      await settled(phone)
      const over = await phone.evaluate<number>("document.documentElement.scrollWidth - innerWidth")
      expect(over, section).toBeLessThanOrEqual(0)
    }
    await phone.close()
  })
})
