// The explorer in a real browser, on one served store: every page, in both themes and on a phone.

import { randomUUID } from "node:crypto"
import type { Page } from "playwright-core"
import { encodeAbiParameters, encodeEventTopics, encodeFunctionData, parseAbi } from "viem"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { livelyBlocks } from "../support/lively-blocks.js"
import { type ServedStore, serveStore } from "../support/served-store.js"
import { findChromium } from "./find-chromium.js"
import { axeFindings, type OpenPages, openPages, settled } from "./open-pages.js"

const head = 59
/** As a contract would have it shown: markup, and more than a line holds. What turns text around is removed before it is stored. */
const hostileName = `<img src=x onerror=hacked=1><script>hacked=1</script>${"W".repeat(200)}`

/** A contract whose ABI was given, called with such a text, and by somebody who only looks like a token's. */
const vault = "ce".repeat(20)
const vaultAbi = parseAbi([
  "function store(string note, (uint8 kind, bytes data)[] parts)",
  "event Stored(address indexed by, string note)",
])
const note = `\u202e<b>${hostileName}</b>`
const [storeCall, guessedCall] = [`0x${"e1".repeat(32)}`, `0x${"e2".repeat(32)}`] as const
const [stored, by] = encodeEventTopics({ abi: vaultAbi, eventName: "Stored", args: { by: `0x${"01".repeat(20)}` } })
const decodable = {
  logs: [
    {
      ...{ address: vault, topics: [stored, by].map((topic) => String(topic).slice(2)) },
      data: encodeAbiParameters([{ type: "string" }], [note]).slice(2),
    },
    { address: vault, topics: ["ab".repeat(32)], data: "0011" },
  ],
  inputs: [
    encodeFunctionData({ abi: vaultAbi, functionName: "store", args: [note, [{ kind: 7, data: "0x1234" }]] }),
    encodeFunctionData({ abi: parseAbi(["function renounceOwnership()"]) }),
  ],
}
const columns = { type: 2, status: 1, from_address: `\\x${"01".repeat(20)}`, to_address: `\\x${vault}`, value: 0 }
const blocks = livelyBlocks({ seed: 7, from: 0, to: head + 1 }).map((block) => {
  if (block.height !== 45) return block
  const transactions = [storeCall, guessedCall].map((id, at) => ({
    ...{ id: id.slice(2), columns: { ...columns, nonce: at, input: `\\x${decodable.inputs[at]!.slice(2)}` } },
    logs: at === 0 ? decodable.logs : [],
  }))
  return { ...block, transactions }
})
const itemDocument = {
  name: hostileName,
  image: "https://elsewhere.example/<b>.png",
  attributes: [{ value: "Arms<b>" }],
}

let served: ServedStore
let pages: OpenPages
let page: Page
let paths: Readonly<Record<string, string>>

const chromium = findChromium()

beforeAll(async () => {
  if (!chromium) return
  const uri = `data:application/json,${encodeURIComponent(JSON.stringify(itemDocument))}`
  const answer = encodeAbiParameters([{ type: "string" }], [uri])
  const node = { call: async () => ({ value: answer }), close: async () => undefined }
  served = await serveStore(blocks, { live: true, node, itemMetadata: { isOn: true } })
  await served.store.app.query(
    "insert into app.abis (address, name, abi, created_by) values ($1, 'Vault', $2, 'ann')",
    [Buffer.from(vault, "hex"), JSON.stringify(vaultAbi)],
  )
  await served.store.raw.query("update raw.chain_state set head_height = $1, finalized_height = 40", [head])
  const first = async (path: string): Promise<Record<string, string>> =>
    (await served.get(`/v1/test/${path}`)).json.data[0]
  const token = (await first("tokens?sort=holders"))["contract_address"]!
  const collection = (await first("collections?sort=items"))["contract_address"]!
  await served.store.app.query(
    `insert into app.token_metadata (contract_address, status, asked_at_height, block_hash, name, symbol, decimals)
     select decode(address, 'hex'), 'answered', 59, '\\x00', $2, 'HOST<b>', 2 from unnest($1::text[]) as address`,
    [[token.slice(2), collection.slice(2)], hostileName],
  )
  const transfer = await first(`tokens/${token}/transfers`)
  const holder = (await first(`tokens/${token}/holders`))["address"]!
  const item = (await first(`collections/${collection}/items`))["token_id"]!
  const deployed = blocks
    .flatMap(({ transactions }) => transactions)
    .find(({ columns }) => columns["contract_address"] && columns["status"] === 1)
  const contract = String(deployed?.columns["contract_address"] ?? `\\x${"c0".repeat(20)}`).replace("\\x", "0x")
  paths = {
    home: "/test",
    blocks: "/test/blocks",
    block: "/test/blocks/30",
    transactions: "/test/transactions",
    transaction: `/test/transactions/${transfer["transaction_hash"]}`,
    call: `/test/transactions/${storeCall}`,
    events: `/test/transactions/${storeCall}?tab=events`,
    account: `/test/accounts/${holder}`,
    holdings: `/test/accounts/${holder}?tab=holdings`,
    transfers: `/test/accounts/${holder}?tab=transfers`,
    nfts: `/test/accounts/${holder}?tab=nfts`,
    contract: `/test/accounts/${contract}?tab=contract`,
    tokens: "/test/tokens",
    token: `/test/tokens/${token}`,
    collections: "/test/collections",
    collection: `/test/collections/${collection}`,
    item: `/test/collections/${collection}/${item}`,
    stats: "/test/stats",
    search: "/test/search?q=0x",
    "no page": "/test/nothing/here",
    "no chain": "/nochain",
  }
  pages = (await openPages(served.url))!
  page = await pages.open()
}, 120_000)
afterAll(async () => {
  await pages?.close()
  await served?.close()
})

const rowsOf = (label: string) => page.getByRole("table", { name: label }).locator("tbody tr")
const widerThanScreen = (of: Page): Promise<number> =>
  of.evaluate<number>("document.documentElement.scrollWidth - innerWidth")
const tell = (kind: string, payload: object): Promise<unknown> =>
  served.store.app.query("insert into app.outbox (id, kind, epoch, payload) values ($1, $2, 0, $3)", [
    ...[randomUUID(), kind],
    JSON.stringify(payload),
  ])

describe.skipIf(!chromium)("the explorer", () => {
  test("has every page, which finds its rows, is without serious findings of axe in both themes, and stays on its origin", async () => {
    const findings: string[] = []
    for (const [name, path] of Object.entries(paths)) {
      await page.emulateMedia({ colorScheme: "light" })
      await page.goto(path)
      await settled(page)
      expect(await page.locator("h1").textContent(), name).not.toBe("")
      expect(await page.getByRole("alert").count(), name).toBe(0)
      findings.push(...(await axeFindings(page)).map((finding) => `${name}, light: ${finding}`))
      await page.emulateMedia({ colorScheme: "dark" })
      // Nothing else depends on the theme.
      findings.push(...(await axeFindings(page, ["color-contrast"])).map((finding) => `${name}, dark: ${finding}`))
    }
    expect(findings).toEqual([])
    expect(pages.faults).toEqual([])
  })

  test("shows what the API has: the newest block, a token's holders, an account's holdings", async () => {
    await page.goto("/")
    await page.waitForURL("**/test")
    await settled(page)
    expect(await rowsOf("Blocks").count()).toBe(10)
    expect(await rowsOf("Blocks").first().textContent()).toContain(String(head))
    await page.getByText(`complete to ${head}`).first().waitFor()
    await page.goto(paths["token"]!)
    await settled(page)
    const holders = await served.walk(`/v1/test/tokens/${paths["token"]!.split("/").at(-1)}/holders`)
    expect(await rowsOf("Holders").count()).toBe(holders.length)
  })

  test("takes the names of contracts as text", async () => {
    for (const name of ["tokens", "token", "collection", "item", "holdings", "transaction"]) {
      await page.goto(paths[name]!)
      await settled(page)
      await page
        .getByText(name === "transaction" || name === "holdings" ? "HOST<b>" : "<img src=x")
        .first()
        .waitFor()
      expect(await page.evaluate("typeof hacked"), name).toBe("undefined")
      expect(await page.locator("main img, main script, main b:text-is('')").count(), name).toBe(0)
      expect(await widerThanScreen(page), name).toBeLessThanOrEqual(0)
    }
    expect(pages.faults).toEqual([])
  })

  test("shows the call of a transaction and its events as text, and whose word they are; the bytes stay at hand", async () => {
    const call = page.getByRole("region", { name: "Call" })
    await page.goto(paths["call"]!)
    await settled(page)
    for (const text of ["ABI given: Vault", "store(string,(uint8,bytes)[])", "<b><img src=x", "0x1234"])
      await call.getByText(text).first().waitFor()
    expect(await call.textContent()).not.toContain("\u202e")
    await page.goto(`/test/transactions/${guessedCall}`)
    await call.getByText("standard Ownable, guessed by selector").waitFor()
    await page.goto(paths["events"]!)
    await settled(page)
    expect(await rowsOf("Events").first().textContent()).toMatch(/Stored.*<b><img src=x.*ABI given: Vault/)
    expect(await rowsOf("Events").last().textContent()).toMatch(/0xababab.*0x0011.*not decoded/)
    await page.getByRole("button", { name: "Raw" }).click()
    expect(await rowsOf("Events").first().textContent()).toContain(`${String(stored).slice(0, 8)}…`)
    await page.getByRole("button", { name: "Raw" }).click()
    await page.getByRole("link", { name: "Input" }).click()
    await page.getByText(decodable.inputs[0]!.slice(2, 10)).waitFor()
    expect(await page.evaluate("typeof hacked")).toBe("undefined")
    expect(pages.faults).toEqual([])
  })

  test("shows what the document of an item says as text, and loads nothing of it", async () => {
    await page.goto(paths["item"]!)
    const said = page.getByRole("region", { name: "Metadata" })
    for (const text of ["<img src=x", "Arms<b>", "https://elsewhere.example/<b>.png"])
      await said.getByText(text).first().waitFor()
    expect(await said.locator("img, script, a, b:text-is('')").count()).toBe(0)
    expect(await page.evaluate("typeof hacked")).toBe("undefined")
    expect(pages.faults).toEqual([])
  })

  test("searches: a height opens its block, a name is offered while it is typed", async () => {
    await page.goto("/test")
    await settled(page)
    await page.keyboard.press("/")
    await page.keyboard.type("1_2")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Block 12" }).waitFor()
    await page.keyboard.press("/")
    await page.keyboard.press("Control+A")
    await page.keyboard.type("HOST")
    await page.locator("[role=listbox][aria-busy=false]").getByRole("option").first().waitFor()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/(tokens|collections)\/0x/)
  })

  test("is used with the keys: rows, neighbours, help", async () => {
    await page.goto("/test/blocks")
    await settled(page)
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
    await page.goBack()
    await page.getByRole("heading", { name: `Block ${head - 1}` }).waitFor()
  })

  test("goes from page to page of a list, in the address, and Back goes back", async () => {
    await page.goto("/test/blocks")
    await settled(page)
    const newest = await rowsOf("Newest").first().textContent()
    await page.getByRole("link", { name: "Older →" }).click()
    await page.waitForURL(/cursor=/)
    await page.getByRole("link", { name: String(head - 25), exact: true }).waitFor()
    await page.goBack()
    await page.getByRole("link", { name: String(head), exact: true }).waitFor()
    expect((await rowsOf("Newest").first().textContent())!.slice(0, 2)).toBe(newest!.slice(0, 2))
  })

  test("tells of new blocks without moving a list, and shows them when it is asked to", async () => {
    await page.goto("/test/blocks")
    await settled(page)
    const { hash } = (await served.get(`/v1/test/blocks/${head}`)).json.data
    const isFollowing = page.waitForResponse((response) => response.url().includes("/v1/stream"))
    await page.reload()
    await isFollowing
    await settled(page)
    const before = await rowsOf("Newest").allTextContents()
    await tell("block", { height: String(head + 1), hash, timestamp: new Date().toISOString(), transaction_count: 3 })
    await page.getByText(`head ${head + 1}`).waitFor()
    await page.getByRole("button", { name: "1 new block" }).waitFor()
    const height = (rows: readonly string[]) => rows.map((row) => row.slice(0, 2))
    expect(height(await rowsOf("Newest").allTextContents())).toEqual(height(before))
    await page.getByRole("button", { name: "1 new block" }).click()
    await page.getByRole("button", { name: "1 new block" }).waitFor({ state: "detached" })
  })

  test("says that blocks were rolled back, while a page is open", async () => {
    await page.goto("/test/blocks/30")
    await settled(page)
    const isFollowing = page.waitForResponse((response) => response.url().includes("/v1/stream"))
    await page.reload()
    await isFollowing
    await settled(page)
    const again = page.waitForResponse((response) => response.url().endsWith("/blocks/30"))
    await tell("rollback", { removed_from: "57" })
    await page.getByText("Blocks from 57 on were rolled back").waitFor()
    await again
  })

  test("tells what does not exist from what is not there yet", async () => {
    await page.goto("/test/blocks/60000")
    await page.getByText("The chain has not reached block 60,000 yet").waitFor()
    await page.goto(`/test/transactions/0x${"12".repeat(32)}`)
    await page.getByText("There is no such transaction on this chain").waitFor()
    await served.store.raw.query("update raw.chain_state set head_height = 99")
    await page.goto("/test/blocks/80")
    await page.getByText("Not indexed yet").waitFor()
    await served.store.raw.query("update raw.chain_state set head_height = $1", [head])
  })

  test("fits a phone: nothing is wider than the screen, and lists are cards", async () => {
    const phone = await pages.open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
    const wide: string[] = []
    for (const [name, path] of Object.entries(paths)) {
      await phone.goto(path)
      await settled(phone)
      const over = await widerThanScreen(phone)
      if (over > 0) wide.push(`${name}: ${over} px`)
    }
    expect(wide).toEqual([])
    expect(pages.faults).toEqual([])
    await phone.close()
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
})
