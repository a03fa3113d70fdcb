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
const access = { adminToken: token, opsIsPublic: true, apiKeys: [], trustedProxies: [] }

beforeAll(async () => {
  if (!chromium) return
  served = await serveStore(livelyBlocks({ seed: 7, from: 0, to: head + 1 }), { live: true, access })
  await served.store.raw.query("update raw.chain_state set head_height = $1, finalized_height = 40", [head])
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
    await page.getByRole("link", { name: "Console" }).click()
    await page.waitForURL("**/console/test")
    await page.getByRole("status", { name: "The doctor's verdict" }).getByText("It is at the head.").waitFor()
    await page.goto("/console")
    await page.waitForURL("**/console/test")
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
