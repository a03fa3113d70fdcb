// What operators do in the console, in a real browser, on one served store: what they are told before, that it is done, and
// that the audit log has it.

import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { livelyBlocks } from "../support/lively-blocks.js"
import { type ServedStore, serveStore } from "../support/served-store.js"
import { findChromium } from "./find-chromium.js"
import { axeFindings, type OpenPages, openPages, settled } from "./open-pages.js"
import { type PlantedLease, plantLease } from "./plant-lease.js"

const head = 59
const token = "t".repeat(32)
const chromium = findChromium()
/** Markup, what turns text around, control characters, and more than a line holds. */
const hostile = `<img src=x onerror=hacked=1>\u202e<b>evil</b>\u0007\u009b31m${"W".repeat(5_000)}`

let served: ServedStore
let pages: OpenPages
let page: Page

const plant = (lease: Omit<PlantedLease, "store">): Promise<void> =>
  plantLease(served, { store: lease.worker === "raw_ingester" ? "raw" : "app", ...lease })
const statusOf = async (worker: string, height: number): Promise<string | undefined> => {
  const { rows } = await served.store.app.query<{ status: string }>(
    "select status from app.worker_leases where worker_type = $1 and from_height = $2 and status <> 'COMPLETED'",
    [worker, height],
  )
  return rows[0]?.status
}
const audited = async (action: string): Promise<readonly Record<string, unknown>[]> => {
  const { rows } = await served.store.app.query<{ actor: string; details: Record<string, unknown> }>(
    "select actor, details from app.audit_log where action = $1 order by id",
    [action],
  )
  return rows.map(({ actor, details }) => ({ actor, ...details }))
}
/** What a page must never do. An address that makes no sense is refused on purpose. */
const faults = (): readonly string[] =>
  pages.faults.filter((fault) => !fault.includes("?status=%3Cb%3E: Failed to load"))
/** With the token, as if it had been typed before. */
async function open(path: string): Promise<void> {
  await page.addInitScript(`sessionStorage.setItem("tidemark-admin-token", ${JSON.stringify(token)})`)
  await page.goto(path)
  await settled(page)
}

beforeAll(async () => {
  if (!chromium) return
  const access = { adminToken: token, opsIsPublic: true, apiKeys: [], trustedProxies: [] }
  served = await serveStore(livelyBlocks({ seed: 7, from: 0, to: head + 1 }), { live: true, access })
  await served.store.raw.query("update raw.chain_state set head_height = $1, finalized_height = 40", [head])
  pages = (await openPages(served.url))!
}, 120_000)
beforeEach(async () => {
  if (!chromium) return
  for (const schema of ["raw", "app"] as const) {
    await served.store[schema].query(`delete from ${schema}.worker_leases where status <> 'COMPLETED'`)
    await served.store[schema].query(`update ${schema}.coverage set skipped = '{}'`)
    await served.store[schema].query(`truncate ${schema}.audit_log`)
  }
  page = await pages.open()
})
afterEach(async () => {
  await page?.close()
})
afterAll(async () => {
  await pages?.close()
  await served?.close()
})

describe.skipIf(!chromium)("dead blocks", () => {
  test("are retried by their error, with the token that the dialog asks for", async () => {
    for (const height of [10, 11, 12]) {
      await plant({ worker: "token_worker", height, status: "DEAD", error: `no room for block ${height}` })
    }
    await plant({ worker: "token_worker", height: 20, status: "DEAD", error: "another fault" })
    await page.goto("/console/test/work")
    await settled(page)
    const row = page
      .getByRole("table", { name: "Dead blocks" })
      .getByRole("row")
      .filter({ hasText: "no room for block #" })
    expect(await row.getByRole("button", { name: "Retry" }).getAttribute("title")).toBe("needs the admin token")
    await row.getByRole("button", { name: "Retry" }).click()
    const dialog = page.getByRole("dialog", { name: "Retry 3 dead blocks of token_worker" })
    await dialog
      .getByText("3 blocks between 10 and 12 of token_worker, with WORKER_FAILED: no room for block #")
      .waitFor()
    await dialog.getByText("There is nothing to undo").waitFor()

    await dialog.getByLabel("Admin token").fill("not the token, but long")
    await dialog.getByRole("button", { name: "Retry 3 blocks" }).click()
    await dialog.getByRole("alert").getByText("The token was refused. Nothing was done.").waitFor()
    await dialog.getByRole("alert").getByText("UNAUTHORIZED").waitFor()
    expect(await statusOf("token_worker", 10)).toBe("DEAD")

    await dialog.getByLabel("Admin token").fill(token)
    await dialog.getByRole("button", { name: "Retry 3 blocks" }).click()
    await dialog.getByRole("status").getByText("3 blocks will be tried again now.").waitFor()
    for (const height of [10, 11, 12]) expect(await statusOf("token_worker", height)).toBe("FAILED")
    expect(await statusOf("token_worker", 20)).toBe("DEAD")
    expect(await audited("retry")).toEqual(
      [10, 11, 12].map((height) => ({
        ...{ actor: "admin@127.0.0.1", worker_type: "token_worker", from: String(height), to: String(height + 1) },
      })),
    )
    const {
      rows: [last],
    } = await served.store.app.query<{ id: string }>("select max(id)::text as id from app.audit_log")
    await dialog.getByRole("link", { name: `Row ${last!.id} of the audit log of app` }).waitFor()
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
    // What it was opened from is gone with its group.
    await row.waitFor({ state: "detached" })
    expect(faults()).toEqual([])
  })

  test("are skipped by their error, and say what that means", async () => {
    await plant({ worker: "token_worker", height: 30, status: "DEAD", error: hostile })
    await open("/console/test/work")
    await page.getByRole("button", { name: "Skip of token_worker with WORKER_FAILED" }).click()
    const dialog = page.getByRole("dialog", { name: "Skip 1 dead block of token_worker" })
    await dialog.getByText("The watermark moves past it, and every answer over this height says").waitFor()
    await dialog.getByText("Retry it later").waitFor()
    await dialog.getByRole("button", { name: "Skip 1 block" }).click()
    await dialog.getByText("1 block skipped.").waitFor()
    expect(await statusOf("token_worker", 30)).toBeUndefined()
    const { rows } = await served.store.app.query<{ skipped: string }>(
      "select skipped::text from app.coverage where worker_type = 'token_worker'",
    )
    expect(rows[0]!.skipped).toBe("{[30,31)}")
    expect(await audited("skip")).toEqual([
      expect.objectContaining({ actor: "admin@127.0.0.1", worker_type: "token_worker" }),
    ])
    expect(await page.evaluate("window.hacked")).toBeUndefined()
    expect(faults()).toEqual([])
  })
})

describe.skipIf(!chromium)("leases", () => {
  test("say that a range is tried again, also while it runs, and hold any text of an error", async () => {
    await plant({
      worker: "raw_ingester",
      height: 50,
      status: "ACTIVE",
      error: hostile,
      attempt: 3,
      holder: "worker-2:5331",
    })
    await plant({ worker: "raw_ingester", height: 52, status: "FAILED", error: "no answer", attempt: 7 })
    await open("/console/test/work")
    const rows = page.getByRole("table", { name: "Leases" }).getByRole("row")
    const running = rows.filter({ hasText: "worker-2:5331" })
    await running.getByText("runs, try 3").waitFor()
    await rows
      .filter({ hasText: "no answer" })
      .getByText(/waits for try 8 in \d+ s/)
      .waitFor()
    await running.locator("summary").click()
    const whole = await running.locator("details p").textContent()
    expect(whole).toContain("<img src=x onerror=hacked=1> <b>evil</b> 31mWWW")
    expect(whole).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(whole!.length).toBeLessThan(2_100)
    expect(await page.evaluate("window.hacked")).toBeUndefined()
    expect(await axeFindings(page)).toEqual([])
    await page.emulateMedia({ colorScheme: "dark" })
    expect(await axeFindings(page, ["color-contrast"])).toEqual([])
  })

  test("are filtered by text and by a click; the address has it, and Back goes back", async () => {
    await plant({ worker: "token_worker", height: 30, status: "DEAD", error: "one" })
    await plant({ worker: "token_metadata_worker", height: 31, status: "DEAD", error: "another", code: "BUG" })
    await plant({ worker: "evm_worker", height: 32, status: "FAILED", error: "a third" })
    await open("/console/test/work")
    const rows = page.getByRole("table", { name: "Leases" }).getByRole("row")
    await expect.poll(() => rows.count()).toBe(2)
    const filter = page.getByLabel("Filter")
    await filter.fill("worker:token status:dead")
    await filter.press("Enter")
    await page.waitForURL((url) => url.search === "?worker=token_worker&status=DEAD")
    await rows.filter({ hasText: "one" }).waitFor()
    expect(await rows.count()).toBe(2)
    expect(await filter.inputValue()).toBe("worker:token_worker status:dead")
    await filter.fill("BUG colour:blue")
    await filter.press("Enter")
    await page.getByText("Not understood: colour:blue").waitFor()
    await filter.fill("BUG")
    await filter.press("Enter")
    await page.waitForURL((url) => url.search === "?code=BUG&status=ALL")
    await rows.filter({ hasText: "another" }).waitFor()
    await page.goBack()
    await rows.filter({ hasText: "one" }).waitFor()
    await page.getByRole("navigation", { name: "State" }).getByRole("link", { name: "waiting 0" }).click()
    await page.waitForURL("**/work?worker=token_worker&status=FAILED")
    await page.getByText("No lease is like this.").waitFor()
    await page.getByRole("button", { name: "Clear" }).click()
    await page.waitForURL((url) => url.search === "")
    await page.goto("/console/test/work?status=%3Cb%3E")
    await page.getByRole("alert").getByText("This address does not make sense to the server").waitFor()
  })

  test("that are dead are skipped one by one", async () => {
    for (const height of [30, 31]) await plant({ worker: "token_worker", height, status: "DEAD", error: "no room" })
    await open("/console/test/work?worker=token_worker&status=DEAD")
    await page.getByRole("button", { name: "Skip token_worker, block 31" }).click()
    const dialog = page.getByRole("dialog", { name: "Skip block 31 of token_worker" })
    await dialog.getByText("tidemark leases skip --height 31 --worker token_worker --chain test").waitFor()
    await dialog.getByRole("button", { name: "Skip the block" }).click()
    await dialog.getByText("Block 31 of token_worker is skipped.").waitFor()
    expect(await statusOf("token_worker", 30)).toBe("DEAD")
    expect(await statusOf("token_worker", 31)).toBeUndefined()
    expect(await audited("skip")).toMatchObject([{ worker_type: "token_worker", height: 31 }])
    // A skipped block is tried again by its height.
    await dialog.getByRole("button", { name: "Close" }).click()
    await page.getByRole("button", { name: "Retry a block" }).click()
    const retry = page.getByRole("dialog", { name: "Retry a block of token_worker" })
    await retry.getByLabel("Block").fill("12345")
    await retry.getByRole("button", { name: "Retry the block" }).click()
    await retry.getByRole("alert").getByText("no DEAD or failed range at block 12345").waitFor()
    await retry.getByLabel("Block").fill("31")
    await retry.getByRole("button", { name: "Retry the block" }).click()
    await retry.getByText("Block 31 of token_worker will be tried again now.").waitFor()
    expect(await audited("retry")).toMatchObject([{ worker_type: "token_worker", heights: "{[31,32)}" }])
  })

  test("of more blocks than one request does are retried until none is left, or until it is stopped", async () => {
    const count = 500
    await served.store.app.query(
      `insert into app.worker_leases (worker_type, from_height, to_height, status, attempt, epoch, lease_ttl_ms, last_error,
         last_error_code, last_error_at)
       select 'token_worker', at, at + 1, 'DEAD', 20, gen_random_uuid(), 60000, 'no room for ' || at, 'WORKER_FAILED',
         clock_timestamp() from generate_series(1000, 999 + $1::int8) as at`,
      [count],
    )
    const dead = async (): Promise<number> => {
      const { rows } = await served.store.app.query<{ n: number }>(
        "select count(*)::int4 as n from app.worker_leases where status = 'DEAD'",
      )
      return rows[0]!.n
    }
    await open("/console/test/work?worker=token_worker&status=DEAD")
    await page.getByRole("link", { name: "Next page" }).click()
    await page.waitForURL(/cursor=/)
    await page.getByRole("table", { name: "Leases" }).getByText("1,050", { exact: true }).waitFor()
    // Held up, not answered: what was asked for before Stop is done.
    let letGo: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await page.route("**/leases/retry", async (route) => {
      await held
      await route.continue()
    })
    await page.getByRole("button", { name: "Retry of token_worker" }).click()
    const dialog = page.getByRole("dialog", { name: "Retry 500 dead blocks of token_worker" })
    await dialog.getByRole("button", { name: "Retry 500 blocks" }).click()
    await dialog.getByRole("button", { name: "Stop" }).click()
    await dialog.getByText("Stopping…").waitFor()
    letGo()
    await dialog.getByText("200 blocks will be tried again now. 300 blocks are left as they were.").waitFor()
    expect(await dead()).toBe(300)
    await page.keyboard.press("Escape")
    await page.getByRole("button", { name: "Retry of token_worker" }).click()
    await page.getByRole("button", { name: "Retry 300 blocks" }).click()
    await page.getByText("300 blocks will be tried again now.").waitFor()
    expect(await dead()).toBe(0)
    expect((await audited("retry")).length).toBe(count)
  })
})

describe.skipIf(!chromium)("workers", () => {
  const worker = async (): Promise<unknown> => {
    const { rows } = await served.store.app.query(
      "select paused, paused_reason, concurrency from app.workers where name = 'stats_worker'",
    )
    return rows[0]
  }

  test("are paused with a reason, resumed and limited", async () => {
    await open("/console/test/work")
    const row = page.getByRole("table", { name: "Workers" }).getByRole("row").filter({ hasText: "stats_worker" })
    await row.getByRole("button", { name: "Pause" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Reason").fill("it's <b>slow</b>")
    await dialog
      .getByText(`tidemark workers pause stats_worker --reason 'it'\\''s <b>slow</b>' --chain test`)
      .waitFor()
    await dialog.getByRole("button", { name: "Pause" }).click()
    await dialog.getByText("stats_worker is paused.").waitFor()
    expect(await worker()).toMatchObject({ paused: true, paused_reason: "it's <b>slow</b>" })
    await page.keyboard.press("Enter")
    await row.getByText("paused: it's <b>slow</b>").waitFor()
    await row.getByRole("button", { name: "Resume" }).click()
    await dialog.getByText("paused because of: it's <b>slow</b>").waitFor()
    await dialog.getByRole("button", { name: "Resume" }).click()
    await dialog.getByText("stats_worker goes on.").waitFor()
    expect(await worker()).toMatchObject({ paused: false, paused_reason: null })
    await page.keyboard.press("Enter")

    await row.getByRole("link", { name: "stats_worker" }).click()
    await page.getByRole("heading", { name: "stats_worker" }).waitFor()
    await page.getByRole("button", { name: "Limit" }).click()
    await dialog.getByLabel("Ranges at once").fill("-1")
    await dialog.getByText("Give a number from 1 on, or nothing.").waitFor()
    expect(await dialog.getByRole("button", { name: "Set the limit" }).isDisabled()).toBe(true)
    await dialog.getByLabel("Ranges at once").fill("3")
    await page.keyboard.press("Enter")
    await dialog.getByText("stats_worker has a limit of 3 ranges.").waitFor()
    expect(await worker()).toMatchObject({ concurrency: 3 })
    await page.keyboard.press("Enter")
    await page.getByText("a limit of 3 ranges", { exact: true }).waitFor()
    await page.getByRole("button", { name: "Limit" }).click()
    await dialog.getByLabel("Ranges at once").fill("")
    await page.keyboard.press("Enter")
    await dialog.getByText("stats_worker has no limit.").waitFor()
    expect(await worker()).toMatchObject({ concurrency: null })
    expect(await audited("pause")).toMatchObject([{ actor: "admin@127.0.0.1", worker_type: "stats_worker" }])
    expect(await audited("resume")).toMatchObject([{ worker_type: "stats_worker" }])
    expect(await audited("concurrency")).toMatchObject([{ concurrency: 3 }, { concurrency: null }])
    expect(faults()).toEqual([])
  })

  test("derive blocks again", async () => {
    await open("/console/test/work?worker=nft_ownership_worker")
    await page.getByRole("button", { name: "Derive again" }).click()
    const dialog = page.getByRole("dialog", { name: "Derive blocks of nft_ownership_worker again" })
    await dialog.getByLabel("First block").fill("3")
    await dialog.getByLabel("Last block").fill("2")
    await dialog.getByText("The last block is below the first.").waitFor()
    await dialog.getByLabel("Last block").fill("10003")
    await dialog.getByText("These are 10,001 blocks").waitFor()
    await dialog.getByLabel("Last block").fill("4")
    await page.keyboard.press("Enter")
    await dialog.getByText("2 blocks of nft_ownership_worker will be derived again now.").waitFor()
    const { rows } = await served.store.app.query<{ missing: boolean }>(
      "select not heights && '{[3,5)}' as missing from app.coverage where worker_type = 'nft_ownership_worker'",
    )
    expect(rows[0]!.missing).toBe(true)
    expect(await audited("rederive")).toMatchObject([{ worker_type: "nft_ownership_worker", heights: "{[3,5)}" }])
  })
})

describe.skipIf(!chromium)("the dialog of an act", () => {
  test("is used with the keyboard alone: it keeps the focus, and gives it back", async () => {
    await plant({ worker: "token_worker", height: 10, status: "DEAD", error: "no room" })
    await page.goto("/console/test/work")
    await settled(page)
    const opener = page.getByRole("button", { name: "Retry of token_worker" })
    await opener.focus()
    await page.keyboard.press("Enter")
    const dialog = page.getByRole("dialog")
    await dialog.waitFor()
    for (let step = 0; step < 12; step++) {
      const isInside = "document.activeElement === document.body || !!document.activeElement.closest('dialog')"
      expect(await page.evaluate(isInside)).toBe(true)
      await page.keyboard.press("Tab")
    }
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Retry of token_worker with WORKER_FAILED")

    await opener.press("Enter")
    await dialog.getByLabel("Admin token").focus()
    // The rows are read again after the dialog is closed.
    let letGo: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await page.route("**/ops/leases/dead**", async (route) => {
      await held
      await route.continue()
    })
    await page.keyboard.type(token)
    await page.keyboard.press("Enter")
    await dialog.getByText("1 block will be tried again now.").waitFor()
    await page.keyboard.press("Enter")
    await dialog.waitFor({ state: "detached" })
    expect(await page.evaluate("document.activeElement.textContent")).toMatch(/^Retry/)
    letGo()
    // The row goes: a keyboard goes on from the content.
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("content")
  })

  test("has no serious findings of axe in both themes", async () => {
    await plant({ worker: "token_worker", height: 10, status: "DEAD", error: hostile })
    await page.goto("/console/test/work")
    await settled(page)
    await page.getByRole("button", { name: "Skip of token_worker" }).click()
    await page.getByRole("dialog").waitFor()
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await axeFindings(page), colorScheme).toEqual([])
    }
  })

  test("fits a phone, with the page behind it", async () => {
    await plant({ worker: "token_worker", height: 10, status: "DEAD", error: hostile })
    await plant({
      worker: "token_worker",
      height: 11,
      status: "ACTIVE",
      error: hostile,
      attempt: 3,
      holder: "w".repeat(300),
    })
    const phone = await pages.open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
    const over = (of: string): Promise<number> => phone.evaluate<number>(`${of}.scrollWidth - ${of}.clientWidth`)
    for (const search of ["", "?worker=token_worker&status=DEAD"]) {
      await phone.goto(`/console/test/work${search}`)
      await settled(phone)
      expect(await over("document.documentElement"), search).toBeLessThanOrEqual(0)
    }
    await phone.getByRole("button", { name: "Skip of token_worker" }).tap()
    await phone.getByRole("dialog").waitFor()
    expect(await over("document.querySelector('dialog')")).toBeLessThanOrEqual(0)
    expect(await phone.getByRole("dialog").boundingBox()).toMatchObject({ x: 0, width: 390 })
    await phone.close()
  })

  test("says that a process without a token takes no acts, and what to run instead", async () => {
    await plant({ worker: "token_worker", height: 10, status: "DEAD", error: "no room" })
    const access = { adminToken: undefined, opsIsPublic: true, apiKeys: [], trustedProxies: [] }
    const plain = await served.again({ access })
    await page.goto(`${plain.url}/console/test/work`)
    await page.getByText("This process takes no acts").waitFor()
    await page.getByRole("button", { name: "Retry all" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByText("tidemark leases retry --all-dead --chain test").waitFor()
    expect(await dialog.getByRole("button", { name: "Retry 1 block" }).count()).toBe(0)
    await dialog.getByRole("button", { name: "Close" }).click()
    await dialog.waitFor({ state: "detached" })
    await plain.close()
  })
})
