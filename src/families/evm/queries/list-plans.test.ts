// Every list reads by an index: with sequential scans forbidden where there is another way, a plan that still has one has
// no index to use.

import { afterAll, beforeAll, expect, test } from "vitest"
import { type DeriveStore, openDeriveStore } from "../../../../test/support/derive-store.js"
import { livelyBlocks } from "../../../../test/support/lively-blocks.js"
import { pageSql } from "../../../queries/read-page.js"
import type { ListResource } from "../../../queries/resource.js"
import { evmFamily } from "../evm-family.js"

let store: DeriveStore

beforeAll(async () => {
  store = await openDeriveStore(livelyBlocks({ seed: 5, from: 0, to: 30 }), { workers: evmFamily.workers })
  await store.deriveAll()
}, 60_000)
afterAll(() => store.close())

const request = {
  address: `0x${"01".repeat(20)}`,
  contract: `0x${"c0".repeat(20)}`,
  hash: `0x${"00".repeat(32)}`,
  block: "3",
  lookup_height: "3",
  lookup_index: "0",
}
const lists = evmFamily.resources.filter((one): one is ListResource => one.kind === "list")
const keyValues = { int8: "3", int4: "0", numeric: "5", bytea: "01", text: "a", date: "2024-02-27" }

test.each(lists.map((one) => [one.path, one] as const))("%s uses an index, on every page", async (_path, list) => {
  for (const after of [undefined, list.key.map(({ type }) => keyValues[type])]) {
    for (const order of ["asc", "desc"] as const) {
      const selection = (await list.select(store.app, request))!
      const scope = { epoch: 0, start: 0, watermark: 29, isKnown: true }
      const covered = [{ from: 0, to: 30 }]
      const { sql, values } = pageSql(list, {
        ...{
          scope: { ...scope, covered, done: covered },
          asked: { from: 0, to: 30 },
          order,
          limit: 25,
          after,
          selection,
        },
      })
      const plan = await store[list.store].transaction(async (tx) => {
        await tx.query("set local enable_seqscan = off")
        const { rows } = await tx.query<{ "QUERY PLAN": string }>(`explain ${sql}`, values)
        return rows.map((row) => row["QUERY PLAN"]).join("\n")
      })
      expect(plan).toContain("Index")
      // The lookup of a token's name may read its small table whole.
      expect(plan.replace(/Seq Scan on token_metadata.*/g, "")).not.toContain("Seq Scan")
    }
  }
})
