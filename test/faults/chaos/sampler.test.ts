// The sampler notices what it is there for: each kind of damage is planted under it.

import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
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
  [
    "a statement of its own that fails, once there is something to look at",
    "alter table raw.processes rename column seen_at to heard_at",
    /could not be looked at: error: column "seen_at" does not exist/,
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

test("a process that says more is done than is there is noticed", async () => {
  const store = await openWholeStore({
    ...{ seed: 1, from: 0, to: 12, workers: [tokenWorker], twoDatabases: false },
  })
  let watermark = 11
  const process = createServer((_, response) =>
    response.end(JSON.stringify({ chains: [{ chain_epoch: 0, watermark_height: String(watermark) }] })),
  ).listen(0, "127.0.0.1")
  await once(process, "listening")
  await store.raw.query(
    "insert into raw.processes (id, host, pid, roles, version, http_url) values ($1, 'here', 1, '{ingest}', '0', $2)",
    [randomUUID(), `http://127.0.0.1:${(process.address() as AddressInfo).port}`],
  )
  const sampler = new Sampler({ url: store.rawUrl, appUrl: store.rawUrl, members: ["alive"] })
  try {
    await expect.poll(() => sampler.answers, { timeout: 10_000 }).toBeGreaterThan(1)
    expect(sampler.violations).toEqual([])
    watermark = 12
    await expect
      .poll(() => sampler.violations[0], { timeout: 10_000 })
      .toMatch(/I5: .* says all is done up to 12, and it is up to 11/)
  } finally {
    await sampler.stop()
    process.close()
    await store.close()
  }
})
