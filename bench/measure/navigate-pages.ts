// From a click to painted rows, and from an address to painted rows, on pages that the seed chooses.

import type { Page } from "playwright-core"
import { seededRandom } from "../../test/support/seeded-random.js"

export interface Navigations {
  readonly clicks: readonly number[]
  readonly loads: readonly number[]
  /** Of clicks, by what was clicked. */
  readonly byKind: ReadonlyMap<string, readonly number[]>
}

interface NavigateOptions {
  readonly url: string
  readonly chain: string
  readonly blocks: number
  readonly rounds: number
}

/** What a person clicks one after the other, from a block at some height. */
const walk = [
  ["a transaction of the block", "table tbody a[href*='/transactions/']", "dl"],
  ["its sender", "dl a[href*='/accounts/']", "table tbody [data-row]"],
  ["all tokens", "header a[href$='/tokens']", "table tbody [data-row]"],
  ["one of the tokens", "table tbody a[href*='/tokens/']", "table tbody [data-row]"],
  ["one of its holders", "table tbody a[href*='/accounts/']", "table tbody [data-row]"],
  ["the holdings", "nav a[href*='tab=holdings']", "table tbody [data-row]"],
  ["the transfers", "nav a[href*='tab=transfers']", "table tbody [data-row]"],
  ["all blocks", "header a[href$='/blocks']", "table tbody [data-row]"],
  ["older blocks", "a[data-next]", "table tbody [data-row]"],
  ["all transactions", "header a[href$='/transactions']", "table tbody [data-row]"],
] as const

export async function navigatePages(page: Page, options: NavigateOptions): Promise<Navigations> {
  const { url, chain, blocks, rounds } = options
  const random = seededRandom(1)
  const below = (count: number): number => Math.floor(random.next() * count)
  const loads: number[] = []
  const byKind = new Map<string, number[]>()
  for (let round = 0; round < rounds; round++) {
    await page.goto(`${url}/${chain}/blocks/${below(blocks)}`, { waitUntil: "commit" })
    loads.push(await page.evaluate<number>(untilPainted({ selector: "table tbody [data-row]" })))
    for (const [kind, link, rows] of walk) {
      const took = await page.evaluate<number | null>(clickAndWait({ link, rows, nth: below(1_000) }))
      if (took === null) continue
      byKind.set(kind, [...(byKind.get(kind) ?? []), took])
    }
  }
  return { clicks: [...byKind.values()].flat(), loads, byKind }
}

/** Since the address was entered, by the page's own clock. */
const untilPainted = ({ selector }: { readonly selector: string }): string => `new Promise((resolve) => {
  const look = () => document.querySelector(${JSON.stringify(selector)})
    ? requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))
    : requestAnimationFrame(look)
  look()
})`

interface Click {
  readonly link: string
  readonly rows: string
  readonly nth: number
}

/** What was there before does not count: it is marked. Words that nothing is there count. Null where there is nothing to click. */
const clickAndWait = ({ link, rows, nth }: Click): string => `new Promise((resolve, reject) => {
  const links = [...document.querySelectorAll("main " + ${JSON.stringify(link)} + ", " + ${JSON.stringify(link)})]
    .filter((one) => one.getAttribute("href") !== location.pathname + location.search)
  const chosen = links[${nth} % links.length]
  if (!chosen) return resolve(null)
  for (const old of document.querySelectorAll(${JSON.stringify(rows)})) old.setAttribute("data-old", "")
  const target = new URL(chosen.href)
  const began = performance.now()
  chosen.click()
  const isThere = () => location.pathname + location.search === target.pathname + target.search &&
    ([...document.querySelectorAll(${JSON.stringify(rows)})].some((one) => !one.hasAttribute("data-old")) ||
      document.querySelector("main [role=status]")) &&
    !document.querySelector("main [aria-busy=true]")
  const look = () => {
    if (isThere()) return requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)))
    if (performance.now() - began > 20000) return reject(new Error("no rows after 20 s at " + target))
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})`
