// An answer by a single statement is the one that a transaction gives, whatever was known of the store before.

import { afterAll, beforeAll, expect, test } from "vitest"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { type ServedStore, serveStore } from "../../test/support/served-store.js"
import { evmFamily } from "../families/evm/evm-family.js"
import { detailAtOnce, listAtOnce } from "./answer-at-once.js"
import { answerDetail, answerList, type ListRequest, lookedUp } from "./answer-request.js"
import { JsonText } from "./json-text.js"
import type { DetailResource, ListResource, RequestValues } from "./resource.js"

let served: ServedStore
let values: Readonly<Record<string, string>>

beforeAll(async () => {
  served = await serveStore(livelyBlocks({ seed: 11, from: 0, to: 30 }))
  await served.store.raw.query("update raw.chain_state set head_height = 29, finalized_height = 20")
  const { rows } = await served.store.app.query<Record<string, string>>(
    `select '0x' || encode(t.transaction_id, 'hex') as hash, '0x' || encode(t.from_address, 'hex') as address,
       t.block_height::text as block, '0x' || encode(t.contract_address, 'hex') as contract,
       (select token_id::text from app.nft_ownership limit 1) as item
     from app.ft_transfers t where t.block_height < 20 order by t.block_height desc limit 1`,
  )
  values = rows[0]!
}, 60_000)
afterAll(() => served.close())

const plain = { order: undefined, limit: 3, cursor: undefined, from: undefined, to: undefined }
const lists = evmFamily.resources.filter((one): one is ListResource => one.kind === "list")
const details = evmFamily.resources.filter((one): one is DetailResource => one.kind === "detail" && !one.plansVary)
const pathValues = (params: object = {}): RequestValues =>
  Object.fromEntries(Object.keys(params).map((name) => [name, values[name]!]))
const json = (answer: object | undefined): unknown =>
  answer &&
  JSON.parse(JSON.stringify(answer, (_, value) => (value instanceof JsonText ? JSON.parse(value.text) : value)))

test.each(lists.map((list) => [list.path, list] as const))("%s", async (_path, list) => {
  const { chain } = served
  const own = pathValues(list.params)
  const orders = [undefined, ...Object.keys(list.sorts ?? {})].map((sort) => (sort ? { ...own, sort } : own))
  for (const request of orders) {
    for (const over of [
      {},
      { order: "asc" },
      { order: "desc" },
      { to: 15 },
      { from: 5, limit: 1 },
    ] as Partial<ListRequest>[]) {
      let asked: ListRequest = { ...plain, ...over, values: request }
      for (let page = 0; page < 3; page++) {
        const slow = await answerList(chain, list, asked)
        expect(json(await listAtOnce(chain, list, asked))).toEqual(json(slow))
        const cursor = slow.meta.next_cursor
        if (cursor === null) break
        asked = { ...asked, cursor }
      }
    }
  }
})

test.each(details.map((one) => [one.path, one] as const))("%s", async (_path, resource) => {
  const { chain } = served
  const request = await lookedUp(chain, resource, pathValues(resource.params))
  const slow = await answerDetail(chain, resource, request).catch((error: { code: string }) => error.code)
  const fast = await detailAtOnce(chain, resource, request).catch((error: { code: string }) => error.code)
  if (typeof slow === "string") expect(fast).toBe(slow)
  else expect(json(fast as object)).toEqual(json(slow))
})

const blocks = lists.find(({ path }) => path === "/blocks")!

test("what was known before is not believed: not of more, not of less, not of another chain", async () => {
  const { chain } = served
  const asked = { ...plain, values: {} }
  const truth = json(await answerList(chain, blocks, asked))
  for (const known of [
    "0|0|raw_ingester {[0,1000)} {}",
    "0|0|raw_ingester {[0,5),[7,9)} {}",
    "0|0|raw_ingester {} {}",
    "7|3|raw_ingester {[3,30)} {}",
  ]) {
    chain.scopes.note(blocks, known)
    expect(json(await listAtOnce(chain, blocks, asked))).toEqual(truth)
  }
})

test("a table that is gone since is left to the transaction", async () => {
  const { chain, store } = served
  const days = lists.find(({ path }) => path === "/stats/daily")!
  const asked = { ...plain, values: {} }
  expect(await listAtOnce(chain, days, asked)).toBeDefined()
  await store.app.query("alter table app.daily_stats rename to away")
  expect(await listAtOnce(chain, days, asked)).toBeUndefined()
  await store.app.query("alter table app.away rename to daily_stats")
  expect(await listAtOnce(chain, days, asked)).toBeDefined()
})
