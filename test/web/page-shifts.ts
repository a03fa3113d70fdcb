// How much of a page moved by itself: the sum of the browser's layout shifts, 0.1 of which is called good.

import type { Page } from "playwright-core"

/** From the next page on. */
export const countShifts = (page: Page): Promise<unknown> =>
  page.addInitScript(`
    window.layoutShifts = []
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries())
        window.layoutShifts.push([value, sources.map(({ node }) => node?.nodeName + "." + node?.className).join(" ")])
    }).observe({ type: "layout-shift", buffered: true })
  `)

interface Shifts {
  readonly sum: number
  /** What moved, the most first. */
  readonly of: readonly string[]
}

export async function readShifts(page: Page): Promise<Shifts> {
  const shifts = await page.evaluate<readonly [number, string][]>("window.layoutShifts")
  return {
    sum: shifts.reduce((sum, [value]) => sum + value, 0),
    of: shifts.toSorted(([one], [other]) => other - one).map(([value, what]) => `${value.toFixed(4)} ${what}`),
  }
}
