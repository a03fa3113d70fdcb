// Pictures of the pages, taken while a demo runs: `node scripts/screenshots.mjs http://127.0.0.1:8080 assets/pages`
// takes those that the README and the guides show. Arguments after these are names of pictures; `all` takes every one,
// at both widths and in both themes. Needs Chromium and pngquant.

import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { chromium } from "playwright-core"

const [url = "http://127.0.0.1:8080", directory = "assets/pages", ...only] = process.argv.slice(2)
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium"
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const largestBytes = 250_000

const guides = readdirSync(join(root, "docs/guides")).map((name) => `docs/guides/${name}`)
const texts = ["README.md", ...guides].map((path) => readFileSync(join(root, path), "utf8"))
const shown = new Set(
  texts.flatMap((text) => [...text.matchAll(/assets\/pages\/([\w-]+)\.png/g)].map(([, name]) => name)),
)

const read = async (path) => (await (await fetch(`${url}/v1/${path}`)).json()).data
const [{ chain }] = await read("chains")
const [token] = await read(`${chain}/tokens?sort=holders&limit=1`)
const [collection] = await read(`${chain}/collections?sort=items&limit=1`)
const [transfer] = await read(`${chain}/tokens/${token.contract_address}/transfers?limit=1`)
const [holder] = await read(`${chain}/tokens/${token.contract_address}/holders?limit=1`)
const pages = {
  home: `/${chain}`,
  blocks: `/${chain}/blocks`,
  block: `/${chain}/blocks/50`,
  transactions: `/${chain}/transactions`,
  transaction: `/${chain}/transactions/${transfer.transaction_hash}`,
  account: `/${chain}/accounts/${holder.address}?tab=holdings`,
  tokens: `/${chain}/tokens`,
  token: `/${chain}/tokens/${token.contract_address}`,
  collections: `/${chain}/collections`,
  collection: `/${chain}/collections/${collection.contract_address}`,
  stats: `/${chain}/stats`,
  search: `/${chain}/search?q=0x`,
  "console-overview": `/console/${chain}`,
  "console-map": `/console/${chain}/map`,
  "console-work": `/console/${chain}/work`,
  "console-nodes": `/console/${chain}/nodes`,
}
const sizes = { desktop: { width: 1_440, height: 900 }, phone: { width: 390, height: 844 } }

mkdirSync(directory, { recursive: true })
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
for (const [page, path] of Object.entries(pages)) {
  for (const [size, viewport] of Object.entries(sizes)) {
    for (const colorScheme of ["light", "dark"]) {
      const name = `${page}-${size}-${colorScheme}`
      const isAsked = only.length === 0 ? shown.has(name) : only.includes("all") || only.includes(page)
      if (isAsked) await take(path, { name, viewport, colorScheme })
    }
  }
}
await browser.close()

async function take(path, { name, viewport, colorScheme }) {
  const page = await browser.newPage({ viewport, colorScheme, reducedMotion: "reduce" })
  await page.goto(`${url}${path}`)
  await page.locator("main").waitFor()
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" })
  if (path.startsWith("/console")) {
    const verdict = page.getByRole("status", { name: "The doctor's verdict" })
    await verdict.filter({ hasNotText: "Asking the doctor." }).waitFor()
    await page.locator("main table, main [aria-busy=false] canvas").first().waitFor()
  }
  // The map is drawn in the next frame.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  const file = join(directory, `${name}.png`)
  await page.screenshot({ path: file })
  await page.close()
  // A page has few colors; the palette takes a third of the space.
  execFileSync("pngquant", ["--force", "--strip", "--speed=1", "--ext=.png", "256", file], { stdio: "inherit" })
  const { size } = statSync(file)
  if (size > largestBytes) throw new Error(`${file} has ${size} bytes; ${largestBytes} is the most`)
}
