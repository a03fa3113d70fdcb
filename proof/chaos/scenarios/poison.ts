import assert from "node:assert/strict"
import { waitUntil } from "../../../test/support/wait-until.js"
import { compareAll } from "../compare.js"
import { healWithinMs } from "../heal-within.js"
import type { Scenario } from "../scenario.js"
import { configWith } from "../worker-config.js"

const worker = "fragile"
/** From one block with a fault to the next. */
const distances = { quick: 20, full: 500 }
const deadlineMs = 1_500
/** Once in its range, which names it, and twice alone. */
const tries = 3
/** Its deadline, the longest wait of a thread that is started again, and the longest before the second try. */
const msPerTry = deadlineMs + 10_000 + 2_000

/** Throws, spins and hoards memory in turn. */
const before = (distance: number): string => `if (block.height % ${distance} === ${distance / 2}) {
  const kind = Math.floor(block.height / ${distance}) % 3
  if (kind === 0) throw new Error("poisoned")
  if (kind === 1) for (;;);
  for (const hoard = []; ; ) hoard.push(new Array(10_000).fill(hoard.length))
}`

export const poison: Scenario = {
  name: "poison",
  fault: `a worker that throws, spins or hoards memory at every ${distances.full}th block`,
  count: { quick: 3, full: 40 },
  byHand: true,
  async run(scene) {
    const distance = distances[scene.profile]
    const blocks = scene.count * distance
    const planted = Array.from({ length: scene.count }, (_, i) => (i + 0.5) * distance)
    const postgres = await scene.postgres()
    const { url: rpcUrl } = await scene.node({ blocks })
    const stage = await scene.stage({
      ...{ postgres, rpcUrl, roles: "ingest,work", config: configWith([{ name: worker, before: before(distance) }]) },
      env: {
        RANGE_SIZE: "50",
        WORKER_DEADLINE_MS: String(deadlineMs),
        WORKER_MEMORY_MB: "96",
        MAX_ATTEMPTS: "2",
      },
    })
    for (let i = 0; i < 2; i++) stage.start()
    const began = performance.now()
    await stage.complete(blocks + 1, healWithinMs({ blocks }))
    const dead = async () => (await stage.derived.leases()).filter(({ status }) => status === "DEAD")
    const isDone = async () => {
      const workers = Object.keys(await stage.derived.coverage()).length
      const wanted = workers * (blocks + 1) - planted.length
      return workers > 0 && (await stage.derived.done()) === wanted && (await dead()).length === planted.length
    }
    await waitUntil(isDone, {
      what: "all but the poisoned blocks",
      timeoutMs: healWithinMs({ blocks, otherMs: planted.length * tries * msPerTry }),
    }).catch(async (error) => {
      throw new Error(JSON.stringify(await stage.derived.leases()), { cause: error })
    })
    const found = (await dead()).map((lease) => [lease.worker, lease.from, lease.to])
    assert.deepEqual(
      found,
      planted.map((height) => [worker, height, height + 1]),
    )
    const [row] = await stage.derived.rows<{ n: number }>(`select count(*)::int4 as n from app.${worker}_blocks`)
    assert.equal(row!.n, blocks + 1 - planted.length)
    const seconds = Math.round((performance.now() - began) / 1_000)
    // Passed over by a person: what is left then is nothing.
    for (const height of planted) {
      const skip = stage.run(["leases", "skip", "--height", String(height), "--worker", worker, "--yes"])
      assert.equal(await skip.exit, 0, skip.errors.join("\n"))
    }
    const compared = await compareAll(stage, {
      ...{ against: { postgres, rpcUrl }, head: blocks },
      expected: (complaint) => complaint.includes(worker),
    })
    return {
      ...{
        times: planted.length,
        compared: `${compared}; dead blocks are the planted ones`,
        recovery: `all others done in ${seconds} s`,
      },
      facts: { blocks, planted: planted.length },
    }
  },
}
