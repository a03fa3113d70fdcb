// Pictures of the pages for the README: `node scripts/screenshots.mjs http://127.0.0.1:8080 assets/pages`, while a demo runs.
// Arguments after these are names of pictures; without any, all are taken, at both widths and in both themes.

import { join } from "node:path"
import { chromium } from "playwright-core"

const [url = "http://127.0.0.1:8080", directory = "assets/pages", ...only] = process.argv.slice(2)
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium"

const [{ chain }] = (await (await fetch(`${url}/v1/chains`)).json()).data
const pages = {
  home: `/${chain}`,
  blocks: `/${chain}/blocks`,
  block: `/${chain}/blocks/50`,
}
const sizes = { desktop: { width: 1_440, height: 900 }, phone: { width: 390, height: 844 } }

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
for (const [name, path] of Object.entries(pages)) {
  if (only.length > 0 && !only.includes(name)) continue
  for (const [size, viewport] of Object.entries(sizes)) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await browser.newPage({ viewport, colorScheme, reducedMotion: "reduce" })
      await page.goto(`${url}${path}`)
      await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" })
      await page.screenshot({ path: join(directory, `${name}-${size}-${colorScheme}.png`) })
      await page.close()
    }
  }
}
await browser.close()
