// The sampler notices what it is there for: each kind of damage is planted under it.

import { expect, test } from "vitest"
import { tokenWorker } from "../../../src/indexes/tokens/token-worker.js"
import { openWholeStore } from "../../support/whole-store.js"
import { Sampler } from "./sampler.js"

test.each([
  [
    "a block below the watermark that is not there",
    "delete from raw.blocks where height = 3",
    /I5: 1 blocks/,
  ],
  [
    "coverage that shrank without a rollback",
    "update raw.coverage set heights = heights - '{[5,100)}'::int8multirange",
    /I5: the watermark fell from 12 to 5/,
  ],
  [
    "a worker ahead of raw",
    "update app.coverage set heights = heights + '{[12,13)}'::int8multirange where worker_type = 'token_worker'",
    /I4: token_worker/,
  ],
  [
    "a lease that nobody ends",
    `insert into app.worker_leases (worker_type, from_height, to_height, status, epoch, lease_ttl_ms, lease_expires_at)
     values ('token_worker', 12, 13, 'ACTIVE', gen_random_uuid(), 1000, now())`,
    /I8: app lease .* of token_worker on \[12, 13\)/,
  ],
])("%s is noticed, and nothing before it", async (_, damage, complaint) => {
  const store = await openWholeStore({
    ...{ seed: 1, from: 0, to: 12, workers: [tokenWorker], twoDatabases: false },
  })
  const stage = { url: store.rawUrl, appUrl: store.rawUrl, members: ["alive"] }
  const sampler = new Sampler(stage, { staleAfterMs: 500 })
  try {
    await expect.poll(() => sampler.samples, { timeout: 10_000 }).toBeGreaterThan(2)
    expect(sampler.violations).toEqual([])
    await store.app.query(damage)
    await expect.poll(() => sampler.violations[0], { timeout: 10_000 }).toMatch(complaint)
  } finally {
    await sampler.stop()
    await store.close()
  }
})
