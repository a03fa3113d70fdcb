// Every list in the format of Etherscan reads by an index, on the first page and on the last of the window: with sequential
// scans forbidden where there is another way, a plan that still has one has no index to use.

import { afterAll, beforeAll, expect, test } from "vitest"
import { type DeriveStore, openDeriveStore } from "../../../../../test/support/derive-store.js"
import { livelyBlocks } from "../../../../../test/support/lively-blocks.js"
import { EtherscanParams } from "../../../../queries/etherscan/etherscan-params.js"
import { type WindowedList, windowSql } from "../../../../queries/etherscan/read-window.js"
import type { Selection } from "../../../../queries/resource.js"
import { evmFamily } from "../../evm-family.js"
import { accountTransactionList, accountTransactionSelection } from "./account-transactions.js"
import {
  collectionCountList,
  collectionCountSelection,
  holderList,
  holderSelection,
  holdingList,
  holdingSelection,
} from "./holdings.js"
import { logList, logSelection } from "./logs.js"
import { transferKinds, transferSelection } from "./token-transfers.js"

let store: DeriveStore

beforeAll(async () => {
  store = await openDeriveStore(livelyBlocks({ seed: 5, from: 0, to: 30 }), { workers: evmFamily.workers })
  await store.deriveAll()
}, 60_000)
afterAll(() => store.close())

const [address, contract] = [Buffer.alloc(20, 1), Buffer.alloc(20, 0xc0)]
const topic = `0x${"ab".repeat(32)}`
const logs = (query: object): Selection => logSelection(new EtherscanParams(query))
const lists: [string, WindowedList, Selection, string?][] = [
  ["txlist", accountTransactionList, accountTransactionSelection(address), "input"],
  ...transferKinds.flatMap((kind): [string, WindowedList, Selection][] => [
    [`${kind.action} of an address`, kind.list, transferSelection(kind, { address, contract: undefined })],
    [`${kind.action} of a contract`, kind.list, transferSelection(kind, { address: undefined, contract })],
    [`${kind.action} of both`, kind.list, transferSelection(kind, { address, contract })],
  ]),
  ["getLogs", logList, logs({ address: `0x${"c0".repeat(20)}` }), "data"],
  ["getLogs with a topic", logList, logs({ address: `0x${"c0".repeat(20)}`, topic0: topic }), "data"],
  ["getLogs without an address", logList, logs({ topic0: topic }), "data"],
  ["addresstokenbalance", holdingList, holdingSelection(address)],
  ["addresstokennftbalance", collectionCountList, collectionCountSelection(address)],
  ["tokenholderlist", holderList, holderSelection(contract)],
]

test.each(lists)("%s uses an index", async (_name, list, selection, large) => {
  const scope = { epoch: 0, start: 0, watermark: 29, isKnown: true, isEven: true, done: [] }
  const covered = [{ from: 0, to: 30 }]
  for (const page of [
    { skip: 0, take: 10 },
    { skip: 9_990, take: 10 },
  ]) {
    for (const order of ["asc", "desc"] as const) {
      const request = { selection, page, order, ...(large ? { large } : {}) }
      const { sql, values } = windowSql({ scope: { ...scope, covered }, asked: { from: 0, to: 30 } }, list, request)
      await store.app.transaction(async (tx) => {
        await tx.query("set local enable_seqscan = off")
        const { rows } = await tx.query(`explain (format json) ${sql}`, values)
        expect(JSON.stringify(rows)).not.toContain("Seq Scan")
      })
    }
  }
})
