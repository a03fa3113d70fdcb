// The sampler notices what it is there for: each kind of damage is planted under it.

import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, test } from "vitest"
import { evmWorker } from "../../src/families/evm/indexes/evm/evm-worker.js"
import { tokenWorker } from "../../src/families/evm/indexes/tokens/token-worker.js"
import { rederiveWorker } from "../../src/operations/rederive-worker.js"
import { systemRandom } from "../../src/platform/random.js"
import { operateChain } from "../../src/roles/operate-chain.js"
import { reopenHeights } from "../../src/workers/postgres/reopen-heights.js"
import type { DeriveStore } from "../../test/support/derive-store.js"
import { openWholeStore } from "../../test/support/whole-store.js"
import { Sampler } from "./sampler.js"

const openStore = (): Promise<DeriveStore> =>
  openWholeStore({
    ...{ seed: 1, from: 0, to: 12, workers: [tokenWorker, evmWorker], twoDatabases: true },
  })

const sample = ({ rawUrl, appUrl }: DeriveStore): Sampler =>
  new Sampler({ url: rawUrl, appUrl, members: ["alive"] }, { staleAfterMs: 500 })

const furthest = (schema: "raw" | "app"): string =>
  `create or replace view ${schema}.indexing_checkpoints as
   select worker_type as worker_name, upper(range_merge(heights)) as last_height, updated_at from ${schema}.coverage`

test.each([
  ["a block below the watermark that is not there", "delete from raw.blocks where height = 3", /I5: 1 blocks/],
  [
    "coverage that shrank without a rollback",
    "update raw.coverage set heights = heights - '{[5,100)}'::int8multirange",
    /I5: the watermark of raw_ingester fell from 12 to 5/,
  ],
  [
    "a worker's coverage that shrank without a rollback",
    "update app.coverage set heights = heights - '{[5,100)}'::int8multirange where worker_type = 'token_worker'",
    /I5: the watermark of token_worker fell from 12 to 5/,
  ],
  [
    "a worker that is gone",
    "delete from app.coverage where worker_type = 'token_worker'",
    /I5: the watermark of token_worker fell from 12 to 0/,
  ],
  [
    "a worker ahead of raw",
    "update app.coverage set heights = heights + '{[12,13)}'::int8multirange where worker_type = 'token_worker'",
    /I4: token_worker/,
  ],
  [
    "a worker ahead of raw, in an app that takes it for stored",
    "update app.coverage set heights = heights + '{[12,13)}'::int8multirange where worker_type in ('token_worker', 'raw_ingester')",
    /I4: app takes \{\[12,13\)\} for stored/,
  ],
  [
    "a table of derived rows that is gone",
    "drop table app.evm_transactions",
    /could not be looked at: error: relation "app.evm_transactions" does not exist/,
  ],
  [
    "a derived block without one of its rows",
    "delete from app.evm_transactions where (block_height, transaction_index) = (select max(block_height), 0 from app.evm_transactions)",
    /I5: \[0, 12\) is derived, with \d+ of \d+ transactions/,
  ],
  [
    "a block derived from another branch",
    "update app.evm_transactions set transaction_id = sha256(transaction_id) where block_height = 3",
    /I4: \[0, 12\) is derived, from other transactions/,
  ],
  ["a checkpoint of app that is not the watermark", furthest("app"), /I3: .* app's of .* is 12/],
  ["a checkpoint of raw that is not the watermark", furthest("raw"), /I3: .* raw's is 12/],
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
  const store = await openStore()
  const sampler = sample(store)
  try {
    await expect.poll(() => sampler.windows, { timeout: 10_000 }).toBeGreaterThan(2)
    expect(sampler.violations).toEqual([])
    await (damage.includes(" raw.") ? store.raw : store.app).query(damage)
    await expect.poll(() => sampler.violations[0], { timeout: 10_000 }).toMatch(complaint)
  } finally {
    await sampler.stop()
    await store.close()
  }
})

test("what a person takes back on record is no damage, and neither is an app that is not at raw's epoch", async () => {
  const store = await openStore()
  const sampler = sample(store)
  const looks = async (more: number): Promise<void> => {
    const before = sampler.samples
    await expect.poll(() => sampler.samples, { timeout: 10_000 }).toBeGreaterThan(before + more)
  }
  try {
    await looks(2)
    const reopened = await reopenHeights(store, {
      worker: "token_worker",
      heights: [{ from: 4, to: 6 }],
      actor: "me",
      action: "repair",
    })
    expect(reopened).toBe(true)
    await looks(2)
    // With its table.
    await rederiveWorker(operateChain({ name: "demo", ...store, random: systemRandom }), {
      worker: "evm_worker",
      actor: "me",
    })
    await looks(2)
    // App has gone back, raw has not yet: nothing can be said of the two, whatever app takes for stored.
    await store.app.query(
      `with rolled as (insert into app.rollbacks (id, epoch, removed) values (gen_random_uuid(), 1, '[3,)')),
         lowered as (update app.coverage set heights = case worker_type
           when 'raw_ingester' then '{[0,20)}' else heights - '{[3,)}'::int8multirange end)
       update app.chain_state set chain_epoch = 1`,
    )
    await looks(2)
    expect(sampler.violations).toEqual([])
  } finally {
    await sampler.stop()
    await store.close()
  }
})

test.each([
  ["all", { all: "12" }, /I5: .* says all is done up to 12, and it is up to 11/],
  ["a worker", { worker: "12" }, /I5: .* says token_worker is done up to 12, and it is up to 11/],
  ["raw", { raw: "12" }, /I5: .* says raw_ingester is done up to 12, and it is up to 11/],
] as const)("a process that says more of %s is done than is there is noticed", async (_, lie, complaint) => {
  const store = await openStore()
  let said: { all?: string; worker?: string; raw?: string; epoch?: number } = {}
  const process = createServer((_, response) =>
    response.end(
      JSON.stringify({
        chains: [
          {
            ...{ chain_epoch: said.epoch ?? 0, watermark_height: said.all ?? "11" },
            workers: [
              { worker: "raw_ingester", watermark_height: said.raw ?? "11" },
              { worker: "token_worker", watermark_height: said.worker ?? "11" },
            ],
            read_at: new Date().toISOString(),
          },
        ],
      }),
    ),
  ).listen(0, "127.0.0.1")
  await once(process, "listening")
  await store.raw.query(
    "insert into raw.processes (id, host, pid, roles, version, http_url) values ($1, 'here', 1, '{ingest}', '0', $2)",
    [randomUUID(), `http://127.0.0.1:${(process.address() as AddressInfo).port}`],
  )
  const sampler = sample(store)
  try {
    await expect.poll(() => sampler.workerAnswers, { timeout: 10_000 }).toBeGreaterThan(1)
    said = { ...lie, epoch: 1 }
    const before = sampler.samples
    await expect.poll(() => sampler.samples, { timeout: 10_000 }).toBeGreaterThan(before + 2)
    expect(sampler.violations).toEqual([])
    said = lie
    await expect.poll(() => sampler.violations[0], { timeout: 10_000 }).toMatch(complaint)
  } finally {
    await sampler.stop()
    process.close()
    await store.close()
  }
})
