import { describeLeaseStore } from "../../../test/conformance/lease-store.js"
import { seededRandom } from "../../../test/support/seeded-random.js"
import { VirtualClock } from "../../../test/support/virtual-clock.js"
import { subtract } from "../../domain/range-set.js"
import { MemoryLeaseStore, type MemoryTx } from "./memory-lease-store.js"

describeLeaseStore<MemoryTx>("the lease store in memory", async () => {
  const clock = new VirtualClock()
  const store = new MemoryLeaseStore({ clock, random: seededRandom(1) })
  const stored = new Set<number>()
  return {
    open: async () => store,
    write: async (tx, range) => {
      for (let height = range.from; height < range.to; height++) tx.stage(() => stored.add(height))
    },
    rows: async () => [...stored].sort((a, b) => a - b),
    advance: async (ms) => clock.advance(ms),
    rollback: async (workerType, removed) => {
      store.chainEpoch++
      store.rollbacks.push({ epoch: store.chainEpoch, removed })
      store.cutCoverage(workerType, (heights) => subtract(heights, [removed]))
    },
    close: async () => undefined,
  }
})
