// The demo chain as `npm start` has it, with a longer past. That is made once and kept, since the node takes 20 to 50 ms for
// each of its blocks; every run goes on with a copy of its own.

import { cp, mkdtemp, rename, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startDemoChain } from "../../src/demo/start-demo-chain.js"
import { systemClock } from "../../src/platform/clock.js"
import { silentLogger } from "../../src/platform/logger.js"
import { defaultCacheDir } from "../../test/chain/dataset-chain.js"
import type { BenchChain } from "./standard-chain.js"
import { onStop } from "./stop-all.js"

export interface DemoOptions {
  readonly historyBlocks: number
  readonly blockMs: number
  readonly say: (text: string) => void
}

export async function startDemo({ historyBlocks, blockMs, say }: DemoOptions): Promise<BenchChain> {
  const kept = join(defaultCacheDir, "..", `demo-${historyBlocks}`)
  const given = { clock: systemClock, logger: silentLogger, historyBlocks, blockTimeMs: blockMs }
  if (!(await exists(kept))) {
    const making = `${kept}.new`
    await rm(making, { recursive: true, force: true })
    const made = await startDemoChain({
      ...given,
      directory: making,
      onProgress: (progress) => {
        if (progress.made % 500 === 0) say(`the demo chain's past: ${progress.made} blocks`)
      },
    })
    await made.stop()
    await rename(making, kept)
  }
  const directory = await mkdtemp(join(tmpdir(), "tidemark-bench-demo-"))
  onStop(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))
  await cp(kept, directory, { recursive: true })
  const chain = await startDemoChain({ ...given, directory })
  const forget = onStop(() => chain.stop())
  return {
    url: chain.httpUrl,
    wsUrl: chain.wsUrl,
    stop: async () => {
      forget()
      await chain.stop()
    },
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
