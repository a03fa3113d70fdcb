// The console's nodes, store, incidents and audit in a real browser, on one server of two chains.

import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Diagnosis } from "../../src/status/diagnosis.js"
import { livelyBlocks } from "../support/lively-blocks.js"
import { type ServedStore, serveStore } from "../support/served-store.js"
import { findChromium } from "./find-chromium.js"
import { axeFindings, type OpenPages, openPages, settled } from "./open-pages.js"
import { plantIncidents } from "./plant-incidents.js"

const head = 59
const token = "t".repeat(32)
const access = { adminToken: token, opsIsPublic: true, apiKeys: [], trustedProxies: [] }
const sections = ["/nodes", "/store?table=raw.blocks", "/incidents", "/incidents?tab=rollbacks&to=44", "/audit"]

const stalled: Diagnosis = {
  ...{ state: "stalled" as const, cause: "NO_PROCESS" as const },
  ...{ message: "harbour: no process runs", doing: null, todo: "start one: `tidemark start`" },
}

let served: ServedStore
let harbour: ServedStore
let both: ServedStore
let pages: OpenPages
let page: Page

const chromium = findChromium()

beforeAll(async () => {
  if (!chromium) return
  served = await serveStore(livelyBlocks({ seed: 7, from: 0, to: head + 1 }), { live: true, access })
  harbour = await serveStore(livelyBlocks({ seed: 8, from: 0, to: 12 }), { name: "harbour", live: true, access })
  both = await served.again({
    ...{ access, beside: { ...harbour, view: { ...harbour.view, diagnosis: () => stalled } } },
    starting: [{ name: "lagoon", reason: "waiting for the node" }],
  })
  await served.store.raw.query("update raw.chain_state set head_height = $1, finalized_height = 40", [head])
  await harbour.store.raw.query("update raw.chain_state set head_height = 20")
  await plantIncidents(served)
  pages = (await openPages(both.url))!
  page = await pages.open()
}, 120_000)
afterAll(async () => {
  await pages?.close()
  await both?.close()
  await harbour?.close()
  await served?.close()
})

const open = async (path: string, on = page): Promise<void> => {
  await on.goto(`/console/test${path}`)
  await on.locator("main table[aria-busy=false]").first().waitFor()
  await settled(on)
}
const asAdmin = (on: Page) => on.evaluate(`sessionStorage.setItem("tidemark-admin-token", "${token}")`)
const rows = (name: string, on = page) => on.getByRole("table", { name }).locator("[data-row]")
const count = async (schema: "raw" | "app", sql: string): Promise<number> =>
  Number((await served.store[schema].query<{ count: string }>(sql)).rows[0]!.count)

describe.skipIf(!chromium)("the console's sections", () => {
  test("say of nodes whether they are used and why not, and of processes what they do", async () => {
    await open("/nodes")
    const one = page.getByRole("region", { name: "one.example" })
    await one.getByText("in use").waitFor()
    await one.getByText("Asked by 1 process.").waitFor()
    await one.getByText("513").waitFor()
    await one.getByText("its head, 2 s old").waitFor()
    await one.getByText("limit of calls, 60/s of it shared out").waitFor()
    const [method] = await rows("Calls to one.example by method").allTextContents()
    expect(method).toBe("eth_getBlockByNumber48,2004821296.4 MB40 ms32 min")
    await page.getByRole("region", { name: "two.example" }).getByText("left out", { exact: true }).waitFor()
    const frozen = page.getByRole("region", { name: "frozen.example" })
    await frozen.getByText("its head has not moved for 9 min").waitFor()
    await page.getByRole("region", { name: "wrong.example" }).getByText("It serves the chain 5").waitFor()
    const [worker, faulty, paused] = await Promise.all(
      ["worker-1:5330", "worker-2:771", "the disk of the database is nearly full"].map((hasText) =>
        rows("Processes").filter({ hasText }).innerText(),
      ),
    )
    expect(worker).toContain("follows it")
    expect(worker).toContain("412 MB")
    expect(worker).toMatch(/\s19\s/)
    expect(faulty).toContain("RPC_TIMEOUT")
    expect(paused).not.toContain("javascript:")
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0)
  })

  test("say how large each table is, when the store is full, and what a table's partitions take", async () => {
    await open("/store")
    const room = page.getByRole("region", { name: "Room" })
    await room.getByText("3.4 GB", { exact: true }).waitFor()
    await room.getByText("until it is full").waitFor()
    await room.getByText(/grows with the chain, by a block of [\d.]+ kB every/).waitFor()
    const tables = rows("Tables")
    const first = await tables.first().locator("td").allTextContents()
    expect(first[2]).toMatch(/^\d+ kB$/)
    const few = await tables.count()
    await page.getByRole("link", { name: /smaller tables? more/ }).click()
    await expect.poll(() => tables.count()).toBeGreaterThan(few)
    const all = await served.walk("/v1/test/ops/store", 200)
    expect(await tables.count()).toBe(all.length)
    await page.getByRole("link", { name: "1 partition of raw.transactions" }).click()
    await page.waitForURL(/table=raw\.transactions/)
    await rows("Partitions of raw.transactions").getByText("0 to 4,999,999").waitFor()
    await page.getByRole("link", { name: "hide of raw.transactions" }).click()
    await page.getByRole("region", { name: "Partitions of raw.transactions" }).waitFor({ state: "detached" })
    await page.getByRole("region", { name: "When it is nearly full" }).waitFor()
  })

  test("say who did what, with filters and pages in the address", async () => {
    await open("/audit")
    const acts = rows("Audit")
    await expect.poll(() => acts.count()).toBe(50)
    const said = (await acts.allTextContents()).slice(0, 4)
    expect(said).toEqual([
      expect.stringMatching(/^ann@192\.0\.2\.7 paused stats_worker\..*“<img src=x/s),
      expect.stringContaining("ann@192.0.2.7 limited token_worker to 3 ranges at once."),
      expect.stringMatching(/^admin@127\.0\.0\.1 skipped block 30 of meta_worker\..*it had failed with: no room/s),
      expect.stringContaining("admin@127.0.0.1 retried block 20 of raw_ingester."),
    ])
    await acts.getByText("rederived blocks 30 to 33 of token_worker, with the 2 workers that depend on it.").waitFor()
    await acts.getByText("rolled the chain back to block 44, which removed 16 blocks.").waitFor()
    await page.getByRole("link", { name: "Older →" }).click()
    await page.waitForURL(/cursor=/)
    await expect.poll(() => acts.count()).toBe(16)
    await page.getByLabel("Action").selectOption("rollback")
    await page.waitForURL((url) => url.search === "?action=rollback")
    await expect.poll(() => acts.count()).toBe(1)
    await page.getByRole("button", { name: "Clear" }).click()
    await page.getByLabel("Who").fill("ann@192.0.2.7")
    await page.keyboard.press("Enter")
    await page.waitForURL(/actor=ann/)
    await page.reload()
    await expect.poll(() => acts.count()).toBe(2)
    await page.goBack()
    await expect.poll(() => acts.count()).toBe(50)
  })

  test("list errors by what is in the address, and resolve them", async () => {
    await open("/incidents")
    const errors = rows("Errors")
    await expect.poll(() => errors.count()).toBe(4)
    await page.getByLabel("Severity").selectOption("FATAL")
    await page.waitForURL((url) => url.search === "?severity=FATAL")
    await expect.poll(() => errors.count()).toBe(2)
    await open("/incidents?worker=token_worker&height=31")
    await expect.poll(() => errors.count()).toBe(1)
    await errors.locator("summary").click()
    expect((await errors.textContent())!.match(/W/g)!.length).toBeGreaterThan(300)
    // Without a token the dialog asks for it.
    await errors.getByRole("button", { name: "Resolve…" }).click()
    const dialog = page.getByRole("dialog", { name: "Resolve the errors of token_worker at block 31" })
    await dialog.getByText("tidemark errors resolve --worker token_worker --height 31 --chain test").waitFor()
    await dialog.getByLabel("Admin token").fill(token)
    await dialog.getByRole("button", { name: "Resolve", exact: true }).click()
    await dialog.getByText("1 error was resolved.").waitFor()
    await dialog.getByRole("button", { name: "Close" }).click()
    await page.getByText("No error is like that.").waitFor()
    expect(await count("app", "select count(*) from app.indexing_errors where resolved")).toBe(1)
    await page.getByLabel("State").selectOption("true")
    await expect.poll(() => errors.count()).toBe(1)
    await open("/incidents?height=32")
    await page.getByRole("button", { name: "Resolve all at block 32…" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Resolve", exact: true }).click()
    await page.getByText("1 error was resolved.").waitFor()
    expect(
      await count("app", "select count(*) from app.audit_log where actor = 'admin@127.0.0.1' and action = 'resolve'"),
    ).toBe(2)
  })

  test("show a halt and the open rollback, which can be cancelled", async () => {
    await served.store.raw.query(
      `update raw.chain_state set halted_at = now() - interval '12 minutes', halt_height = 45, halt_reason = $1`,
      ["the node's chain differs from the stored one at block 45"],
    )
    // The server keeps an answer for half a second, and the page then for longer.
    await expect.poll(async () => (await both.get("/status")).json.chains[0].halt).not.toBeNull()
    await open("/incidents")
    const now = page.getByRole("region", { name: "Now" })
    await now.getByText("for 12 min").waitFor()
    await now.getByText("The node's chain differs from the stored one at block 45.").waitFor()
    await now.getByRole("link", { name: "Plan a rollback to block 44" }).click()
    await page.waitForURL(/tab=rollbacks&to=44/)
    expect(await page.getByLabel("The last block that stays").inputValue()).toBe("44")
    await served.store.raw.query(
      `update raw.chain_state set halted_at = null, halt_height = null, halt_reason = null, intent_id = gen_random_uuid(),
         intent_epoch = chain_epoch + 1, intent_removed = '[50,)', intent_ancestor_hash = '\\x01', intent_reason = $1,
         intent_opened_at = now()`,
      ["asked in a test"],
    )
    await open("/incidents?tab=rollbacks")
    await now.getByText("The rollback from block 50 on is open").waitFor()
    await rows("Rollbacks").first().getByText("open", { exact: true }).waitFor()
    await asAdmin(page)
    await now.getByRole("button", { name: "Cancel it…" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Cancel the rollback" }).click()
    await page.getByText("The rollback was cancelled. Nothing was removed.").waitFor()
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click()
    await page.getByText("Nothing is halted, and no rollback is open.").waitFor()
    expect(await count("raw", "select count(*) from raw.blocks where height >= 50")).toBe(10)
  })

  test("are those of each chain: all at a glance, the worst first, and from one to the other", async () => {
    await page.goto("/console")
    await page.getByText("3 chains: 1 stalled, 1 starting, 1 ok").waitFor()
    const cards = page.locator('main a[href^="/console/"]')
    const [first, second] = await cards.allInnerTexts()
    expect(first).toMatch(/^harbour\s+stalled\s+No process runs\.\s+You: start one: tidemark start\./)
    expect(first).toMatch(/complete to\s+11\s.*behind the head\s+9 blocks/s)
    expect(second).toMatch(/^test\s+ok\s+It is at the head\..*processes\s+3\s.*errors\s+\d open/s)
    await page.getByText("Waiting for the node.").waitFor()
    expect(await axeFindings(page)).toEqual([])
    await cards.first().click()
    await page.waitForURL("**/console/harbour")
    const verdict = page.getByRole("status", { name: "The doctor's verdict" })
    await verdict.getByText("No process runs.").waitFor()
    await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Nodes" }).click()
    await page.getByText("No process has reported in the last 30 seconds.").waitFor()
    const chains = page.getByLabel("Chain", { exact: true })
    await chains.selectOption("test")
    await page.waitForURL("**/console/test/nodes")
    await rows("Processes").filter({ hasText: "worker-1:5330" }).waitFor()
    await chains.selectOption("All chains")
    await page.waitForURL((url) => url.pathname === "/console")
    await page.goto("/test/blocks")
    await chains.selectOption("harbour")
    await page.waitForURL((url) => url.pathname === "/harbour")
    expect(pages.faults).toEqual([])
  })

  test("are without serious findings of axe in both themes, and hostile text does nothing", async () => {
    await asAdmin(page)
    const findings: string[] = []
    for (const section of sections) {
      await page.emulateMedia({ colorScheme: "light" })
      await open(section)
      expect(await page.getByRole("alert").count(), section).toBe(0)
      expect(await page.evaluate("typeof hacked")).toBe("undefined")
      expect(await page.locator("main img, main script").count()).toBe(0)
      expect(await page.locator("main").innerText()).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u0007]/)
      findings.push(...(await axeFindings(page)).map((finding) => `${section}, light: ${finding}`))
      await page.emulateMedia({ colorScheme: "dark" })
      findings.push(...(await axeFindings(page, ["color-contrast"])).map((finding) => `${section}, dark: ${finding}`))
    }
    expect(findings).toEqual([])
    expect(pages.faults).toEqual([])
  })

  test("fit a phone", async () => {
    const phone = await pages.open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
    for (const section of sections) {
      await open(section, phone)
      const over = await phone.evaluate<number>("document.documentElement.scrollWidth - innerWidth")
      expect(over, section).toBeLessThanOrEqual(0)
      // The tab of the section is in sight.
      const tab = (await phone.getByRole("navigation", { name: "Sections" }).locator("[aria-current]").boundingBox())!
      expect(tab.x, section).toBeGreaterThanOrEqual(0)
      expect(tab.x + tab.width, section).toBeLessThanOrEqual(390)
    }
    await phone.close()
  })

  test("roll back in two steps: the plan says what goes, and after a typed confirmation it is gone", async () => {
    await open("/incidents?tab=rollbacks")
    await asAdmin(page)
    await page.reload()
    await rows("Rollbacks").filter({ hasText: "blocks 45 to 60" }).getByText("2.3 s").waitFor()
    await page.getByRole("button", { name: "Forget token" }).click()
    await page.getByLabel("The last block that stays").fill("34")
    await page.getByLabel("Admin token").fill(token)
    await page.getByRole("button", { name: "Plan", exact: true }).click()
    const plan = page.getByRole("region", { name: "The plan" })
    await plan.getByText("blocks 35 to 59, 25 blocks with").waitFor()
    await plan.getByText(/^25 blocks of accounts_worker, .*tx_metrics_worker$/).waitFor()
    await plan.getByText("Blocks up to 40 are final for the node.").waitFor()
    expect(await count("raw", "select count(*) from raw.blocks where height > 34")).toBe(25)
    await plan.getByRole("button", { name: "Roll back to 34…" }).click()
    const dialog = page.getByRole("dialog", { name: "Roll test back to block 34" })
    const go = dialog.getByRole("button", { name: "Remove 25 blocks" })
    expect(await go.isDisabled()).toBe(true)
    const findings = await axeFindings(page)
    await page.emulateMedia({ colorScheme: "light" })
    findings.push(...(await axeFindings(page, ["color-contrast"])))
    expect(findings).toEqual([])
    await dialog.getByLabel("Confirm").fill("35")
    expect(await go.isDisabled()).toBe(true)
    await dialog.getByLabel("Confirm").fill("34")
    await dialog.getByLabel("Why").fill("it's the node's fault")
    await dialog.getByText("--reason 'it'\\''s the node'\\''s fault' --yes").waitFor()
    await go.click()
    await dialog.getByText("25 blocks, 35 to 59, were removed.").waitFor()
    expect(await count("raw", "select count(*) from raw.blocks where height > 34")).toBe(0)
    expect(await count("app", "select count(*) from app.evm_transactions where block_height > 34")).toBe(0)
    await dialog.getByRole("link", { name: /of the audit log of raw$/ }).click()
    await page.waitForURL(/audit\?action=rollback/)
    const act = rows("Audit").filter({ hasText: "rolled the chain back to block 34, which removed 25 blocks." })
    await act.getByText("“it's the node's fault”").waitFor()
    await open("/incidents?tab=rollbacks")
    const row = rows("Rollbacks").filter({ hasText: "blocks 35 to 59" })
    await row.getByText("it's the node's fault").waitFor()
    await row.getByText("admin@127.0.0.1").waitFor()
    expect(pages.faults).toEqual([])
  })
})
