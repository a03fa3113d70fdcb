// Distributes seeds over threads. The result does not depend on their number: of seeds that fail the lowest is
// reported, and all seeds below it have run.

import { Worker } from "node:worker_threads"
import { noSeeds, type SeedBatch, type SeedsResult, together } from "./run-seeds.js"

const seedsPerBatch = 20
/** Nearly everything that a seed allocates is garbage at its end. */
const youngMb = 96

export async function runSeedsInThreads({
  from,
  count,
  plan,
  threads,
  onSeed,
}: SeedBatch & { threads: number; onSeed?: (done: number) => void }): Promise<SeedsResult> {
  const batches: SeedsResult[] = []
  let next = from
  let done = 0
  let failedAt = Number.POSITIVE_INFINITY
  const deal = (): SeedBatch | undefined => {
    const batch = { from: next, count: Math.min(seedsPerBatch, from + count - next), plan }
    if (batch.count <= 0 || next > failedAt) return undefined
    next += batch.count
    return batch
  }
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const thread = new Worker(new URL("./seeds-thread.js", import.meta.url), {
        resourceLimits: { maxYoungGenerationSizeMb: youngMb },
      })
      let batch: SeedBatch | undefined
      const giveNext = (): void => {
        batch = deal()
        if (batch) thread.postMessage(batch)
        else thread.terminate().then(() => resolve(), reject)
      }
      thread.on("error", reject)
      thread.on("message", (result: SeedsResult) => {
        batches.push(result)
        if (result.failed) failedAt = Math.min(failedAt, result.failed.plan.seed)
        done += batch!.count
        onSeed?.(done)
        giveNext()
      })
      giveNext()
    })
  await Promise.all(Array.from({ length: threads }, work))
  return batches.reduce(together, noSeeds)
}
