// What happens to a page while it is read: blocks arrive, and blocks are rolled back. The last tests of the store, since they
// change its chain.

import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { type ExplorerStore, head, lost, removedHeight } from "./explorer-store.js"
import { axeFindings, keepPicture, type OpenPages, settled } from "./open-pages.js"
import { countShifts, readShifts } from "./page-shifts.js"

interface Live {
  readonly store: ExplorerStore
  readonly pages: OpenPages
}

/** The page, once it follows the stream. */
async function follow({ pages }: Live, path: string): Promise<Page> {
  const page = await pages.open()
  await countShifts(page)
  const isFollowing = page.waitForResponse((response) => response.url().includes("/v1/stream"))
  await page.goto(path)
  await isFollowing
  await settled(page)
  return page
}

const heightsOf = async (page: Page, label: string): Promise<readonly string[]> => {
  const rows = await page.getByRole("table", { name: label }).locator("tbody tr").allTextContents()
  return rows.map((row) => row.slice(0, 2))
}

export function testLivePages(live: () => Live): void {
  test("tells of new blocks without moving a list, and shows them when it is asked to", async () => {
    const { store } = live()
    const page = await follow(live(), "/test/blocks")
    const { hash } = (await store.served.get(`/v1/test/blocks/${head}`)).json.data
    const before = await heightsOf(page, "Newest")
    const tell = (height: number) =>
      store.tell("block", { height: String(height), hash, timestamp: new Date().toISOString(), transaction_count: 3 })
    await tell(head + 1)
    await page.getByText(`head ${head + 1}`).waitFor()
    await page.getByRole("button", { name: "1 new block" }).waitFor()
    for (let more = 2; more <= 12; more++) await tell(head + more)
    await page.getByRole("button", { name: "12 new blocks" }).waitFor()
    expect(await heightsOf(page, "Newest")).toEqual(before)
    expect((await readShifts(page)).sum).toBeLessThan(0.03)
    await page.getByRole("button", { name: "12 new blocks" }).click()
    await page.getByRole("button", { name: /new block/ }).waitFor({ state: "detached" })
    await page.close()
  })

  test("shows a rollback as what it is: on the pages of what was removed, in lists, and in what has not changed", async () => {
    const { store, pages } = live()
    const block = await follow(live(), `/test/blocks/${removedHeight}`)
    const transaction = await follow(live(), `/test/transactions/${lost}`)
    const list = await follow(live(), "/test/blocks")
    const holders = await follow(live(), store.paths["token"]!)
    const stays = await follow(live(), "/test/blocks/30")
    const all = [block, transaction, list, holders, stays]
    const before = await heightsOf(list, "Newest")
    await store.rollBack(removedHeight)
    for (const page of all) await page.getByText(`Blocks from ${removedHeight} on were rolled back`).waitFor()
    // What is read stays where it is, and is marked.
    await block.getByRole("heading", { name: `Block ${removedHeight} rolled back` }).waitFor()
    await block.getByText("Nothing has taken its place yet.").waitFor()
    await block.getByRole("table", { name: "Transactions" }).getByText(lost.slice(0, 8)).waitFor()
    await transaction.getByRole("heading", { name: "Transaction rolled back" }).waitFor()
    await transaction
      .getByRole("region", { name: "Details" })
      .getByText(String(removedHeight), { exact: true })
      .waitFor()
    expect(await heightsOf(list, "Newest")).toEqual(before)
    const removed = list.getByRole("row").filter({ hasText: "rolled back" })
    expect(await removed.count()).toBe(head - removedHeight + 1)
    await holders.getByRole("button", { name: /^rolled back/ }).waitFor()
    expect(await stays.getByRole("heading", { level: 1 }).textContent()).toBe("Block 30 ")
    // Half of what is called good: sums change, and are as wide as they are.
    for (const page of all) expect((await readShifts(page)).sum, page.url()).toBeLessThan(0.05)
    for (const page of [block, list]) expect(await axeFindings(page)).toEqual([])
    await keepPicture(block, "explorer/block-rolled-back")
    await keepPicture(transaction, "explorer/transaction-rolled-back")
    await keepPicture(list, "explorer/list-rolled-back")
    // The chain goes on another way.
    await store.replace(removedHeight)
    await block.getByRole("button", { name: `Show the block that is at ${removedHeight} now` }).click()
    await block.getByText(`f${removedHeight.toString(16).padStart(63, "0")}`).waitFor()
    await block.getByText("This block has no transactions.").waitFor()
    await transaction.getByRole("button", { name: `Show it in block ${removedHeight + 1}` }).click()
    await transaction
      .getByRole("region", { name: "Details" })
      .getByText(String(removedHeight + 1), { exact: true })
      .waitFor()
    expect(await transaction.getByRole("heading", { level: 1 }).textContent()).toBe("Transaction ")
    await list.getByRole("button", { name: /^rolled back/ }).click()
    await list.getByRole("button", { name: /^rolled back/ }).waitFor({ state: "detached" })
    expect(await removed.count()).toBe(0)
    expect(await heightsOf(list, "Newest")).toEqual(before)
    for (const page of all) await page.close()
    expect(pages.faults).toEqual([])
  })
}
