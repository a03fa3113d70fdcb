// What a page that follows a chain holds: its heap after a collection, and the nodes of its document.

import type { Page } from "playwright-core"

export interface MemorySample {
  readonly seconds: number
  readonly head: number
  readonly heapMb: number
  readonly nodes: number
}

interface WatchOptions {
  readonly seconds: number
  readonly samples: number
  /** The newest block, by the API. */
  readonly headOf: () => Promise<number>
}

export async function watchPageMemory(page: Page, options: WatchOptions): Promise<readonly MemorySample[]> {
  const { seconds, samples, headOf } = options
  const session = await page.context().newCDPSession(page)
  await session.send("Performance.enable")
  const began = performance.now()
  const taken: MemorySample[] = []
  for (let at = 0; at <= samples; at++) {
    const dueMs = began + (at * seconds * 1_000) / samples - performance.now()
    if (dueMs > 0) await new Promise((resolve) => setTimeout(resolve, dueMs))
    await session.send("HeapProfiler.collectGarbage")
    const { metrics } = await session.send("Performance.getMetrics")
    const metric = (name: string): number => metrics.find((one) => one.name === name)?.value ?? Number.NaN
    taken.push({
      seconds: (performance.now() - began) / 1_000,
      head: await headOf(),
      heapMb: metric("JSHeapUsedSize") / 2 ** 20,
      nodes: metric("Nodes"),
    })
  }
  return taken
}
