import { expect, test } from "vitest"
import { providerMatrix } from "../../../../test/chain/provider-matrix.js"
import { startSimulatedProvider } from "../../../../test/chain/simulated-provider.js"
import { createChain } from "../../../../test/chain/synthetic-chain.js"
import { seededRandom } from "../../../../test/support/seeded-random.js"
import { VirtualClock } from "../../../../test/support/virtual-clock.js"
import { silentLogger } from "../../../platform/logger.js"
import { EvmSource } from "./evm-source.js"

const wanted = 0.8
const signal = new AbortController().signal
/** Longer than any pause between two steps of a request on loopback. */
const quietTurns = 25

/** Time passes only while nothing is under way, so what is measured does not depend on the machine. */
async function drive<T>(clock: VirtualClock, work: Promise<T>, isBusy: () => boolean): Promise<T> {
  let isDone = false
  const over = work.finally(() => {
    isDone = true
  })
  over.catch(() => undefined)
  for (let quiet = 0; !isDone; quiet++) {
    await new Promise((resolve) => setImmediate(resolve))
    if (isBusy()) quiet = 0
    const nextMs = quiet < quietTurns ? undefined : clock.nextMs()
    if (nextMs === undefined) continue
    quiet = 0
    clock.advance(Math.max(0, nextMs))
  }
  return over
}

test.each(providerMatrix)("$name: at least 80 % of what it allows", async (entry) => {
  const { providers: rules, callsPerSecond, callsPerBlock = 2 } = entry
  const blocks = callsPerSecond === undefined ? 300 : callsPerSecond * 10
  const chain = createChain({ blocks, transactionsPerBlock: 1, logsPerBlock: 1, holders: 100 })
  const clock = new VirtualClock()
  const now = () => clock.now() / 1_000
  const servers = await Promise.all(rules.map((each) => startSimulatedProvider({ chain, rules: each, now })))
  const source = new EvmSource(
    { clock, random: seededRandom(1), logger: silentLogger },
    { providers: servers.map(({ url }) => ({ url })), expectedChainId: String(chain.options.chainId) },
  )
  try {
    const sum = (of: "answered" | "refused") => servers.reduce((all, server) => all + server[of], 0)
    let [learned, halfAt] = [0, 0]
    let requests = -1
    const isBusy = () => {
      const seen = servers.reduce((sum, server) => sum + server.requests, 0)
      const isNew = seen !== requests
      requests = seen
      return isNew || servers.some(({ open }) => open > 0)
    }
    const collect = async () => {
      let stored = 0
      for await (const batch of source.fetchRange({ from: 0, to: blocks + 1 }, { signal })) {
        stored += batch.length
        if (stored === blocks >> 1) [learned, halfAt] = [sum("refused"), now()]
      }
      return stored
    }
    // One range that is never given up: every block of it comes, in one go.
    expect(await drive(clock, collect(), isBusy)).toBe(blocks + 1)
    const useful = (blocks + 1) * callsPerBlock
    const used =
      callsPerSecond === undefined ? sum("answered") + sum("refused") : 2 * callsPerSecond * (now() - halfAt)
    const share = useful / used
    expect(share).toBeGreaterThan(wanted)
    // Once the limit is known: what is refused is wasted on both sides, and providers ban for it.
    expect((sum("refused") - learned) / (useful / 2)).toBeLessThan(0.1)
  } finally {
    await source.close()
    for (const server of servers) await server.stop()
  }
})
