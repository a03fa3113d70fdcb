// Pictures of the pages for the README: `node scripts/screenshots.mjs http://127.0.0.1:8080 assets/pages`, while a demo runs.
// Arguments after these are names of pictures; without any, all are taken, at both widths and in both themes.

import { join } from "node:path"
import { chromium } from "playwright-core"

const [url = "http://127.0.0.1:8080", directory = "assets/pages", ...only] = process.argv.slice(2)
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium"

const read = async (path) => (await (await fetch(`${url}/v1/${path}`)).json()).data
const [{ chain }] = await read("chains")
const [token] = await read(`${chain}/tokens?sort=holders&limit=1`)
const [collection] = await read(`${chain}/collections?sort=items&limit=1`)
const [transfer] = await read(`${chain}/tokens/${token.contract_address}/transfers?limit=1`)
const [holder] = await read(`${chain}/tokens/${token.contract_address}/holders?limit=1`)
const pages = {
  home: "",
  blocks: "/blocks",
  block: "/blocks/50",
  transactions: "/transactions",
  transaction: `/transactions/${transfer.transaction_hash}`,
  account: `/accounts/${holder.address}?tab=holdings`,
  tokens: "/tokens",
  token: `/tokens/${token.contract_address}`,
  collections: "/collections",
  collection: `/collections/${collection.contract_address}`,
  stats: "/stats",
  search: "/search?q=0x",
}
const sizes = { desktop: { width: 1_440, height: 900 }, phone: { width: 390, height: 844 } }

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
for (const [name, path] of Object.entries(pages)) {
  if (only.length > 0 && !only.includes(name)) continue
  for (const [size, viewport] of Object.entries(sizes)) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await browser.newPage({ viewport, colorScheme, reducedMotion: "reduce" })
      await page.goto(`${url}/${chain}${path}`)
      await page.locator("main").waitFor()
      await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" })
      await page.screenshot({ path: join(directory, `${name}-${size}-${colorScheme}.png`) })
      await page.close()
    }
  }
}
await browser.close()
