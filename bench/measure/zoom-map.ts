// How many frames a second the console's map draws while one zooms, and how long the longest take.

import type { Page } from "playwright-core"

export interface Zoomed {
  readonly perSecond: number
  /** Of the times between two frames. */
  readonly frameMs: readonly number[]
}

/** Wheel events on each frame, in and out again; from the first to the last. */
export async function zoomMap(
  page: Page,
  { url, chain, seconds }: { readonly url: string; readonly chain: string; readonly seconds: number },
): Promise<Zoomed> {
  await page.goto(`${url}/console/${chain}/map`)
  await page.getByRole("application").waitFor()
  const frameMs = await page.evaluate<readonly number[]>(`new Promise((resolve) => {
    const canvas = document.querySelector("[role=application]")
    const { left, top, width } = canvas.getBoundingClientRect()
    const times = []
    let last = 0
    let step = 0
    const began = performance.now()
    const frame = (now) => {
      if (last > 0) times.push(now - last)
      last = now
      if (now - began > ${seconds * 1_000}) return resolve(times)
      const isIn = Math.floor(step++ / 60) % 2 === 0
      canvas.dispatchEvent(new WheelEvent("wheel", {
        deltaY: isIn ? -60 : 60, clientX: left + width * (0.3 + 0.4 * Math.sin(step / 90)), clientY: top + 60,
        bubbles: true, cancelable: true,
      }))
      requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  })`)
  return { frameMs, perSecond: (frameMs.length * 1_000) / frameMs.reduce((sum, one) => sum + one, 0) }
}
