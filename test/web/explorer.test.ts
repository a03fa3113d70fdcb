// The explorer in a real browser, on one served store: every page, in both themes and on a phone.

import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { calls, type ExplorerStore, head, openExplorerStore, storedInput, storedTopic } from "./explorer-store.js"
import { findChromium } from "./find-chromium.js"
import { axeFindings, keepPicture, type OpenPages, openPages, settled } from "./open-pages.js"
import { countShifts, readShifts } from "./page-shifts.js"
import { testLivePages } from "./test-live-pages.js"

/** A fifth of what is called good. */
const mostShift = 0.02
/** Its own choice of words, turned around, hidden or in control of a terminal. */
const unprintable = /[\u0000-\u0008\u000b-\u001f\u00ad\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/

let store: ExplorerStore
let pages: OpenPages
let page: Page

const chromium = findChromium()

beforeAll(async () => {
  if (!chromium) return
  store = await openExplorerStore()
  pages = (await openPages(store.served.url))!
  page = await pages.open()
}, 120_000)
afterAll(async () => {
  await pages?.close()
  await store?.close()
})

const go = async (name: string, on = page): Promise<void> => {
  await on.goto(store.paths[name]!)
  await settled(on)
}
const rowsOf = (label: string, on = page) => on.getByRole("table", { name: label }).locator("tbody tr")
async function faultsOf(on: Page): Promise<string[]> {
  const over = await on.evaluate<number>("document.documentElement.scrollWidth - innerWidth")
  const { sum, of } = await readShifts(on)
  return [
    ...(over > 0 ? [`is ${over} px wider than the screen`] : []),
    ...(sum > mostShift ? [`moved by itself: ${of.join("; ")}`] : []),
  ]
}

describe.skipIf(!chromium)("the explorer", () => {
  test("has every page: without serious findings of axe in both themes, without shifts, and with what others wrote as text", async () => {
    const findings: string[] = []
    const own = await pages.open()
    await countShifts(own)
    for (const name of Object.keys(store.paths)) {
      await own.emulateMedia({ colorScheme: "light" })
      await go(name, own)
      expect(await own.locator("h1").textContent(), name).not.toBe("")
      expect(await own.getByRole("alert").count(), name).toBe(0)
      findings.push(...(await axeFindings(own)).map((finding) => `${name}, light: ${finding}`))
      findings.push(...(await faultsOf(own)).map((finding) => `${name} ${finding}`))
      // How far a list is complete stands beside it.
      for (const list of await own.locator("section:has(table)").all())
        await list
          .getByText(/^(complete to|partial: |not indexed yet)/)
          .first()
          .waitFor()
      const text = await own.locator("body").innerText()
      expect(unprintable.exec(text)?.[0].codePointAt(0), name).toBeUndefined()
      expect(text.length, name).toBeLessThan(150_000)
      expect(await own.evaluate("typeof hacked"), name).toBe("undefined")
      expect(await own.locator("img, iframe, object, main script").count(), name).toBe(0)
      await keepPicture(own, `explorer/${name}-desktop-light`)
      await own.emulateMedia({ colorScheme: "dark" })
      // Nothing else depends on the theme.
      findings.push(...(await axeFindings(own, ["color-contrast"])).map((finding) => `${name}, dark: ${finding}`))
      await keepPicture(own, `explorer/${name}-desktop-dark`)
    }
    await own.close()
    expect(findings).toEqual([])
    expect(pages.faults).toEqual([])
  })

  test("has the names that contracts gave where they belong", async () => {
    for (const name of ["tokens", "token", "collection", "item", "call"]) {
      await go(name)
      await page.getByText("<img src=x").first().waitFor()
    }
    for (const name of ["transaction", "holdings", "transfers", "search for a name", "contract of a token"]) {
      await go(name)
      await page.getByText("HOST<b>").first().waitFor()
    }
  })

  test("goes through the parts of an account, each with its own rows", async () => {
    await go("account")
    for (const [link, label] of [
      ["Holdings", "Holdings"],
      ["Transfers", "Transfers of tokens"],
      ["NFTs", "NFTs"],
      ["NFT transfers", "Transfers of NFTs"],
      ["Transactions", "Transactions"],
    ] as const) {
      await page.getByRole("navigation", { name: "Parts of the account" }).getByText(link, { exact: true }).click()
      await page.getByRole("table", { name: label }).waitFor()
      await settled(page)
      expect(await page.getByRole("alert").count(), label).toBe(0)
    }
    await page.goto(`/test/accounts/0x${"99".repeat(20)}?tab=holdings`)
    await page.getByText("It has taken part in no transaction on this chain").waitFor()
    await page.getByText("It has never held a fungible token.").waitFor()
    expect(pages.faults).toEqual([])
  })

  test("has the state of the index and the newest at the start", async () => {
    await page.goto("/")
    await page.waitForURL("**/test")
    await settled(page)
    expect(await rowsOf("Blocks").count()).toBe(10)
    expect(await rowsOf("Blocks").first().textContent()).toContain(String(head))
    expect(await rowsOf("Transactions").count()).toBe(10)
    await page.getByText(`complete to ${head}`).first().waitFor()
    const index = page.getByRole("region", { name: "What is indexed" }).getByRole("listitem")
    expect((await index.allTextContents()).filter((text) => text.endsWith("at the head"))).toHaveLength(12)
    await page.goto(store.paths["token"]!)
    await settled(page)
    const holders = await store.served.walk(`/v1${store.paths["token"]}/holders`)
    expect(await rowsOf("Holders").count()).toBe(holders.length)
  })

  test("shows the call of a transaction and its events, whose word they are, and what the node sent", async () => {
    const call = page.getByRole("region", { name: "Call" })
    await go("call")
    for (const text of ["ABI given: Vault", "store(string,(uint8,bytes)[])", "<b><img src=x", "0x1234"])
      await call.getByText(text).first().waitFor()
    await page.goto(`/test/transactions/${calls.guessed}`)
    await call.getByText("standard Ownable, guessed by selector").waitFor()
    await go("events")
    expect(await rowsOf("Events").first().textContent()).toMatch(/Stored.*<b><img src=x.*ABI given: Vault/)
    expect(await rowsOf("Events").last().textContent()).toMatch(/0xababab.*0x0011.*not decoded/)
    await page.getByRole("button", { name: "Raw" }).click()
    expect(await rowsOf("Events").first().textContent()).toContain(`${storedTopic.slice(0, 8)}…`)
    await page.getByRole("button", { name: "Raw" }).click()
    await page.getByRole("link", { name: "Input" }).click()
    await page.getByText(storedInput.slice(2, 10)).waitFor()
    await page.getByRole("link", { name: "Raw" }).click()
    const sent = page.getByRole("region", { name: "As the node sent it" })
    await sent.getByText(`"hash": "${calls.stored}"`).waitFor()
    await sent.getByText('"receipt": {').waitFor()
    const { transaction } = (await store.served.get(`/v1/test/transactions/${calls.stored}/raw`)).json.data
    expect(JSON.parse((await sent.locator("pre").textContent())!).transaction).toEqual(transaction)
  })

  test("shows what the document of an item says as text, and loads nothing of it", async () => {
    await go("item")
    const said = page.getByRole("region", { name: "Metadata" })
    for (const text of ["<img src=x", "Arms<b>", "https://elsewhere.example/<b>.png"])
      await said.getByText(text).first().waitFor()
    expect(await said.locator("img, script, a, b:text-is('')").count()).toBe(0)
    expect(pages.faults).toEqual([])
  })

  test("finds heights, hashes, addresses and names, while they are typed and with Enter", async () => {
    const look = async (text: string): Promise<void> => {
      await page.keyboard.press("/")
      await page.keyboard.press("Control+A")
      await page.keyboard.insertText(text)
    }
    await go("home")
    const opens = async (text: string, heading: string | RegExp): Promise<void> => {
      await look(text)
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { level: 1, name: heading }).waitFor()
    }
    await opens("1_2", "Block 12")
    await opens(calls.stored, "Transaction")
    const { hash } = (await store.served.get("/v1/test/blocks/33")).json.data
    await opens(hash, "Block 33")
    await opens(store.paths["token"]!.split("/").at(-1)!, /<img src=x/)
    await opens(store.paths["account"]!.split("/").at(-1)!, "Account")
    await look("HOST")
    await page.locator("[role=listbox][aria-busy=false]").getByText("HOST<b>").first().waitFor()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/(tokens|collections)\/0x/)
  })

  test("is used with the keys: rows, neighbours, copies, help", async () => {
    await go("blocks")
    for (const key of ["j", "j", "j", "k", "Enter"]) await page.keyboard.press(key)
    await page.getByRole("heading", { name: `Block ${head - 1}` }).waitFor()
    await page.keyboard.press("]")
    await page.getByRole("heading", { name: `Block ${head}` }).waitFor()
    await page.keyboard.press("[")
    await page.keyboard.press("[")
    await page.getByRole("heading", { name: `Block ${head - 2}` }).waitFor()
    await page.keyboard.press("?")
    await page.getByRole("dialog", { name: "Keys" }).waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await page.goBack()
    await page.getByRole("heading", { name: `Block ${head - 1}` }).waitFor()
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
    const copied = (): Promise<string> => page.evaluate<string>("navigator.clipboard.readText()")
    await go("call")
    await page.keyboard.press("c")
    await expect.poll(copied).toBe(calls.stored)
    await go("account")
    await page.getByRole("button", { name: "Copy address" }).first().click()
    await page.getByRole("button", { name: "Copied" }).waitFor()
    await expect.poll(copied).toBe(store.paths["account"]!.split("/").at(-1))
  })

  test("marks an address wherever it stands, gives exact amounts, and times as one wants them", async () => {
    await go("account")
    const address = store.paths["account"]!.split("/").at(-1)!
    await page.locator(`tbody [data-copy="${address}"]`).first().hover()
    await expect.poll(() => page.locator(`.same[data-copy="${address}"]`).count()).toBeGreaterThan(2)
    await go("holdings")
    const [row] = (await store.served.get(`/v1${store.paths["account"]}/holdings`)).json.data
    const amount = rowsOf("Holdings").first().locator("data")
    expect((await amount.getAttribute("title"))!.replace(/\D/g, "")).toContain(row.balance.replace(/^-|0+$/g, ""))
    await go("blocks")
    await rowsOf("Newest").first().getByRole("button", { name: / ago$/ }).click()
    await rowsOf("Newest")
      .last()
      .getByText(/^2024-\d\d-\d\d \d\d:\d\d:\d\d UTC$/)
      .waitFor()
    await page.reload()
    await rowsOf("Newest").first().getByRole("button", { name: / UTC$/ }).click()
    await rowsOf("Newest").last().getByText(/ ago$/).waitFor()
  })

  test("has what a link leads to before it is clicked", async () => {
    await go("blocks")
    const asked = page.waitForRequest((request) => request.url().endsWith("/v1/test/blocks/50"))
    await page.getByRole("link", { name: "50", exact: true }).hover()
    await asked
    const more: string[] = []
    page.on("request", (request) => more.push(request.url()))
    await page.getByRole("link", { name: "50", exact: true }).click()
    await page.getByRole("heading", { name: "Block 50" }).waitFor()
    await settled(page)
    page.removeAllListeners("request")
    expect(more.filter((url) => url.endsWith("/blocks/50"))).toEqual([])
  })

  test("goes from page to page of a list, in the address, and Back goes back", async () => {
    await go("blocks")
    const newest = await rowsOf("Newest").first().textContent()
    await page.getByRole("link", { name: "Older →" }).click()
    await page.waitForURL(/cursor=/)
    await page.getByRole("link", { name: String(head - 25), exact: true }).waitFor()
    await page.goBack()
    await page.getByRole("link", { name: String(head), exact: true }).waitFor()
    expect((await rowsOf("Newest").first().textContent())!.slice(0, 2)).toBe(newest!.slice(0, 2))
  })

  test("tells what does not exist from what is not there yet, and keeps what was read when the server is lost", async () => {
    await go("no block yet")
    await page.getByText("The chain has not reached block 60,000 yet").waitFor()
    await go("no such transaction")
    await page.getByText("There is no such transaction on this chain").waitFor()
    const { raw, app } = store.served.store
    await raw.query("update raw.chain_state set head_height = 99")
    await page.goto("/test/blocks/80")
    await page.getByText("Height 80 is still being filled in: 60 %").waitFor()
    await raw.query("update raw.chain_state set head_height = $1", [head])
    await app.query("update app.coverage set heights = heights - '{[20,31)}' where worker_type = 'evm_worker'")
    await go("transactions")
    await page.getByText("partial: 1 gap above 19").waitFor()
    await app.query("update app.coverage set heights = heights + '{[20,31)}' where worker_type = 'evm_worker'")
    await go("token")
    await page.route("**/v1/**", (route) => route.abort())
    await page.getByRole("link", { name: "Transfers" }).click()
    await page.getByRole("heading", { name: "Tidemark cannot be reached" }).waitFor()
    await page.getByRole("region", { name: "Overview" }).getByText("HOST<b>").first().waitFor()
    await page.unroute("**/v1/**")
    await page.getByRole("button", { name: "Try again" }).click()
    await page.getByRole("table", { name: "Transfers" }).waitFor()
  })

  test("fits a phone: nothing is wider than the screen, nothing moves, and lists are cards", async () => {
    const options = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
    const phone = await pages.open(options)
    await countShifts(phone)
    const findings: string[] = []
    for (const name of Object.keys(store.paths)) {
      await phone.emulateMedia({ colorScheme: "light" })
      await go(name, phone)
      findings.push(...(await faultsOf(phone)).map((finding) => `${name} ${finding}`))
      await keepPicture(phone, `explorer/${name}-phone-light`)
      await phone.emulateMedia({ colorScheme: "dark" })
      await keepPicture(phone, `explorer/${name}-phone-dark`)
    }
    expect(findings).toEqual([])
    expect(pages.faults).toEqual([])
    await phone.close()
  })

  test("says without scripts where the data is, prints what is read, and stands still where motion is reduced", async () => {
    const plain = await pages.open({ javaScriptEnabled: false })
    await plain.goto("/test/blocks/30")
    await plain.locator("noscript a").first().waitFor()
    expect(await plain.locator("body").innerText()).toContain("These pages need JavaScript")
    expect(await plain.locator("noscript a").allTextContents()).toEqual(["/status", "/v1", "/docs"])
    await plain.close()
    await go("block")
    await page.emulateMedia({ media: "print" })
    for (const name of ["Pages", "Parts of the block", "Neighbouring blocks"])
      expect(await page.getByRole("navigation", { name, exact: true }).first().isVisible(), name).toBe(false)
    expect(await page.getByRole("search").isVisible()).toBe(false)
    expect(await page.getByRole("heading", { name: "Block 30" }).isVisible()).toBe(true)
    expect(await rowsOf("Transactions").first().isVisible()).toBe(true)
    await keepPicture(page, "explorer/block-print")
    await page.emulateMedia({ media: "screen", reducedMotion: "reduce" })
    const moving = "document.getAnimations().filter(({ playState }) => playState === 'running').length"
    expect(await page.evaluate(moving)).toBe(0)
    await page.emulateMedia({ reducedMotion: "no-preference" })
    expect(await page.evaluate<number>(moving)).toBeGreaterThan(0)
  })

  test("keeps the theme that was chosen, in every tab", async () => {
    await page.emulateMedia({ colorScheme: "light" })
    await page.goto("/test")
    const button = page.getByRole("button", { name: /^Theme/ })
    const paper = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor")
    const light = await paper()
    await button.click()
    await button.click()
    await page.reload()
    await button.waitFor()
    expect(await paper()).not.toBe(light)
    await button.click()
    expect(await paper()).toBe(light)
  })

  testLivePages(() => ({ store, pages }))
})
