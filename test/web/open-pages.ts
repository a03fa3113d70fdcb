// A browser on a served store, which notes whatever a page must never do: fail, break the policy, or ask another origin.

import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { findChromium } from "./find-chromium.js"

export interface OpenPages {
  readonly browser: Browser
  /** What went wrong so far. */
  readonly faults: readonly string[]
  open(options?: BrowserContextOptions): Promise<Page>
  close(): Promise<void>
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Undefined where there is no browser. */
export async function openPages(url: string): Promise<OpenPages | undefined> {
  const executablePath = findChromium()
  if (!executablePath) return undefined
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
  const faults: string[] = []
  const open = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const page = await browser.newPage({ viewport: { width: 1_440, height: 900 }, baseURL: url, ...options })
    page.on("pageerror", (error) => faults.push(`${page.url()}: ${error.message}`))
    page.on("console", (message) => {
      // A refusal that the page shows is no fault of the page, nor is a connection that a test cuts.
      const isRefusal = /status of 40[14]|ERR_FAILED/.test(message.text())
      if (message.type() === "error" && !isRefusal) faults.push(`${page.url()}: ${message.text()}`)
    })
    page.on("request", (request) => {
      if (!request.url().startsWith(`${url}/`)) faults.push(`${page.url()} asks ${request.url()}`)
    })
    return page
  }
  return { browser, faults, open, close: () => browser.close() }
}

/** Pictures of the last run, which git ignores. */
const pictures = join(import.meta.dirname, "..", "..", ".cache", "screenshots")

/** As it is seen, for people to look at: `.cache/screenshots/explorer/home-desktop-dark.png`. */
export const keepPicture = (page: Page, name: string): Promise<unknown> =>
  page.screenshot({ path: join(pictures, `${name.replaceAll(" ", "-")}.png`), animations: "disabled" })

/** Until nothing is awaited any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator("main").waitFor()
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" })
}

interface Violation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string }[]
}

/** Serious and critical findings of axe: of all its rules, or of those that are named. */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Evaluated, which the page's policy does not concern.
  await page.evaluate(axe)
  const violations = await page.evaluate<readonly Violation[]>(
    `axe.run(${JSON.stringify(rules ? { runOnly: rules } : {})}).then(({ violations }) => violations)`,
  )
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`)
}
