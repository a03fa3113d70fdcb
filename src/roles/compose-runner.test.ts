import { afterEach, beforeEach, expect, test } from "vitest"
import { openRawStore, type RawStore } from "../../test/support/raw-store.js"
import { testLedgers } from "../../test/support/test-ledgers.js"
import { defaultFailurePolicy } from "../coordination/after-failure.js"
import type { DeadBlock } from "../coordination/dead-block.js"
import { WorkerFault } from "../coordination/worker-fault.js"
import { systemClock } from "../platform/clock.js"
import { silentLogger } from "../platform/logger.js"
import { systemRandom } from "../platform/random.js"
import { Connection } from "../postgres/connection.js"
import { createRunner } from "./compose-runner.js"

let store: RawStore
beforeEach(async () => {
  store = await openRawStore()
})
afterEach(() => store.close())

test.each(["raw", "app"] as const)(
  "a block of %s that failed once too often is logged as fatal, and counted",
  async (schema) => {
    await testLedgers[schema].register(store.database, "own")
    const dead: DeadBlock[] = []
    const logged: unknown[] = []
    const held = new AbortController()
    const runner = createRunner(
      schema,
      {
        connect: () => Connection.open({ url: store.url, applicationName: "test" }),
        keeper: { hold: () => ({ signal: held.signal, letGo: () => undefined }) },
        ...{ clock: systemClock, random: systemRandom },
        logger: { ...silentLogger, fatal: (fields) => logged.push(fields) },
        onDead: (block) => dead.push(block),
      },
      {
        ...{ holder: "test", rangeSize: 1_000, recordBackend: true },
        policy: { ...defaultFailurePolicy, maxAttempts: 2, backoffBaseMs: 0, backoffMaxMs: 0 },
      },
    )
    const claim = {
      ...{ members: [{ worker: "own", dependencies: [] }], regions: [{ from: 7, to: 8 }] },
      ...{ maxBlocks: 1, order: "oldest" as const, ttlMs: 30_000 },
    } as const
    const fail = async () => {
      throw new WorkerFault({ worker: "own", height: 7, cause: new Error("no") })
    }
    try {
      for (let attempt = 1; attempt <= 2; attempt++) {
        expect(dead).toEqual([])
        expect(await runner.run(async () => ({ claim, work: fail }), held.signal)).toMatchObject({ kind: "failed" })
      }
    } finally {
      await runner.close()
    }
    const block = { worker: "own", height: 7, code: "WORKER_FAILED", error: "no" }
    expect(dead).toEqual([block])
    expect(logged).toEqual([block])
  },
)
