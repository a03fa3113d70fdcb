// What a comparison at the end notices beside the tables: each kind of damage is planted in a store that is whole.

import { afterAll, beforeAll, expect, test } from "vitest"
import { tokenWorker } from "../../src/families/evm/indexes/tokens/token-worker.js"
import { systemRandom } from "../../src/platform/random.js"
import { rollbackApp } from "../../src/rollback/rollback-app.js"
import type { DeriveStore } from "../../test/support/derive-store.js"
import { StoreProbe } from "../../test/support/store-probe.js"
import { openWholeStore } from "../../test/support/whole-store.js"
import { foreignObservations } from "./foreign-observations.js"
import { untoldRollbacks } from "./untold-rollbacks.js"
import { wrongCheckpoints } from "./wrong-checkpoints.js"

let store: DeriveStore
let raw: StoreProbe
let app: StoreProbe

beforeAll(async () => {
  store = await openWholeStore({
    ...{ seed: 1, from: 0, to: 12, workers: [tokenWorker], twoDatabases: true },
  })
  raw = new StoreProbe(store.rawUrl)
  app = new StoreProbe(store.appUrl)
})

afterAll(async () => {
  await raw.close()
  await app.close()
  await store.close()
})

test.each(["token_metadata", "contract_code_hashes"] as const)(
  "an observation of app.%s at a block that is not stored is found",
  async (table) => {
    const key = table === "token_metadata" ? "contract_address" : "address"
    const observe = (contract: string, { height, hash }: { height: number; hash: Buffer }) =>
      app.rows(
        `insert into app.${table} (${key}, status, asked_at_height, block_hash) values ($1, 'failed', $2, $3)`,
        [Buffer.from(contract), height, hash],
      )
    const [block] = await raw.rows<{ hash: Buffer }>("select hash from raw.blocks where height = 7")
    await observe("stored", { height: 7, hash: block!.hash })
    expect(await foreignObservations({ raw, app })).toEqual([])
    await observe("of another height", { height: 8, hash: block!.hash })
    await observe("above", { height: 12, hash: block!.hash })
    expect(await foreignObservations({ raw, app })).toMatchObject([
      { table: `app.${table}`, height: 8 },
      { table: `app.${table}`, height: 12 },
    ])
    await app.rows(`delete from app.${table}`)
  },
)

test.each(["raw", "app"] as const)("a checkpoint of %s that is not the watermark is found", async (schema) => {
  const probe = schema === "raw" ? raw : app
  expect(await wrongCheckpoints(probe, schema)).toEqual([])
  // A hole, and a view that does not stop there.
  const [view] = await probe.rows<{ text: string }>(`select pg_get_viewdef('${schema}.indexing_checkpoints') as text`)
  await probe.rows(`update ${schema}.coverage set heights = heights - '{[5,6)}'::int8multirange`)
  expect(await wrongCheckpoints(probe, schema)).toEqual([])
  await probe.rows(
    `create or replace view ${schema}.indexing_checkpoints as
     select worker_type as worker_name, upper(range_merge(heights)) - 1 as last_height, updated_at from ${schema}.coverage`,
  )
  expect(await wrongCheckpoints(probe, schema)).toContainEqual(
    expect.objectContaining({ heights: "{[0,5),[6,12)}", checkpoint: 11 }),
  )
  await probe.rows(`create or replace view ${schema}.indexing_checkpoints as ${view!.text}`)
})

test("a rollback that the outbox does not tell of as it was is found", async () => {
  const intents = [
    { from: 9, to: Number.MAX_SAFE_INTEGER },
    { from: 4, to: 5 },
  ]
  for (const [at, range] of intents.entries())
    await rollbackApp(store, { id: systemRandom.uuid(), epoch: at + 1, ...range, reason: "test" })
  const found = () => untoldRollbacks(app)
  expect(await found()).toEqual([])
  await app.rows('update app.outbox set payload = payload || \'{"removed_from": "3"}\' where epoch = 2')
  expect(await found()).toMatchObject([
    {
      rollback: expect.stringMatching(/epoch 2, \[4,5\)$/),
      told: expect.stringMatching(/epoch 2, \[3,5\)$/),
    },
  ])
  await app.rows("delete from app.outbox where epoch = 2")
  expect(await found()).toMatchObject([{ told: null }])
  await app.rows("delete from app.rollbacks where epoch = 2")
  expect(await found()).toEqual([])
  await app.rows("delete from app.rollbacks where epoch = 1")
  expect(await found()).toMatchObject([{ rollback: null }])
})
