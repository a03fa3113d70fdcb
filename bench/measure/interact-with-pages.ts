// From a key or a click to the next painted frame, as the browser itself reports it (Event Timing).

import type { Page } from "playwright-core"

/** The browser reports nothing that is shorter. */
const leastMs = 16

const observe = `
  window.eventTimings = new Map()
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries())
      if (interactionId) window.eventTimings.set(interactionId, Math.max(duration, window.eventTimings.get(interactionId) ?? 0))
  }).observe({ type: "event", buffered: true, durationThreshold: ${leastMs} })
`

/** In milliseconds, in steps of 8; what took less than 16 counts as 16. */
export async function interactWithPages(
  page: Page,
  { url, chain, rounds }: { readonly url: string; readonly chain: string; readonly rounds: number },
): Promise<readonly number[]> {
  const took: number[] = []
  for (let round = 0; round < rounds; round++) {
    await page.goto(`${url}/${chain}/transactions`)
    await page.locator("table tbody [data-row]").first().waitFor()
    await page.evaluate(observe)
    const keys = ["j", "j", "j", "k", "/", ..."0xa0b8".split(""), "ArrowDown", "Escape"]
    for (const key of keys) await page.keyboard.press(key)
    const clicks = [
      page.getByRole("button", { name: / ago$| UTC$/ }).first(),
      page.getByRole("button", { name: /^Theme/ }),
    ]
    for (const button of [...clicks, ...clicks]) await button.click()
    const reported = await page.evaluate<readonly number[]>(`new Promise((resolve) =>
      requestAnimationFrame(() => setTimeout(() => resolve([...window.eventTimings.values()]), 100)))`)
    const total = keys.length + clicks.length * 2
    took.push(...reported, ...Array.from({ length: Math.max(0, total - reported.length) }, () => leastMs))
  }
  return took
}
