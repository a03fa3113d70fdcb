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
const keepToken = (to: Page): Promise<unknown> =>
  to.evaluate(`sessionStorage.setItem("tidemark-admin-token", ${JSON.stringify(token)})`)

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
    expect(pages.faults).toEqual([])
  })

  test("are skipped by their error, and say what that means", async () => {
    await plant({ worker: "token_worker", height: 30, status: "DEAD", error: hostile })
    await page.goto("/console/test/work")
    await keepToken(page)
    await page.reload()
    await settled(page)
    await page.getByRole("button", { name: "Skip of token_worker with WORKER_FAILED" }).click()
    const dialog = page.getByRole("dialog", { name: "Skip 1 dead block of token_worker" })
    await dialog.getByText("The watermark passes them, and every answer over these heights says").waitFor()
    await dialog.getByText("Retry the block later").waitFor()
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
    expect(pages.faults).toEqual([])
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

    await page.keyboard.press("Enter")
    await dialog.getByLabel("Admin token").focus()
    await page.keyboard.type(token)
    await page.keyboard.press("Enter")
    await dialog.getByText("1 block will be tried again now.").waitFor()
    await page.keyboard.press("Enter")
    await dialog.waitFor({ state: "detached" })
    // The row is gone: a keyboard goes on from the content.
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
