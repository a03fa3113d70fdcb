import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type DemoChain, startDemoChain } from "../../src/demo/start-demo-chain.js"
import { systemClock } from "../../src/platform/clock.js"
import { silentLogger } from "../../src/platform/logger.js"
import { openRawStore, type RawStore } from "../../test/support/raw-store.js"
import { appTablesDdl } from "./app-tables.js"
import { checkAgainstNode } from "./check-against-node.js"
import { checkDerived } from "./check-derived.js"
import { fillTables } from "./fill-tables.js"

const historyBlocks = 60
const end = historyBlocks + 1
let directory: string
let chain: DemoChain
let store: RawStore

// So slow that no block is made during the test.
const startChain = (): Promise<DemoChain> =>
  startDemoChain({
    ...{ directory, clock: systemClock, logger: silentLogger },
    ...{ historyBlocks, blockTimeMs: 600_000 },
  })

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tidemark-checker-"))
  chain = await startChain()
  store = await openRawStore()
  await store.ingest(store.source(chain.httpUrl), { from: 0, to: end })
  await store.database.query(appTablesDdl)
  await fillTables({ rawUrl: store.url, appUrl: store.url })
  await store.database.query(
    `insert into app.coverage (worker_type, heights) values
     ('ft_holdings_worker', '{[0,${end})}'), ('nft_ownership_worker', '{[0,${end})}')`,
  )
})
afterAll(async () => {
  await store.close()
  await chain.stop()
  await rm(directory, { recursive: true, force: true })
})

test("what the checker computes from the demo's logs is what the demo's contracts answer", async () => {
  expect((await checkDerived({ rawUrl: store.url, appUrl: store.url, coverage: () => undefined })).ok).toBe(true)
  const report = await checkAgainstNode({ appUrl: store.url, rpcUrl: chain.httpUrl })
  expect(report.disagreed).toEqual([])
  expect(report.partial).toEqual([])
  for (const table of ["ft_holdings", "nft_ownership", "nft_balances"])
    expect([table, report.agreed[table]! > 10]).toEqual([table, true])
  // The contract that only logs has no balances to ask for.
  expect(new Set(report.unanswered.map(({ contract }) => contract)).size).toBe(1)
})

test("a balance, an owner and a covered head that are wrong are named", async () => {
  const { database } = store
  await database.query("update app.ft_holdings set balance = balance + 1 where balance > 0")
  await database.query("update app.nft_ownership set owner = decode(repeat('77', 20), 'hex')")
  await database.query("update app.coverage set heights = '{[0,5),[6,9)}' where worker_type = 'nft_ownership_worker'")
  const late = await checkAgainstNode({ appUrl: store.url, rpcUrl: chain.httpUrl })
  expect(late.partial).toEqual(["nft_ownership", "nft_balances"])
  expect(late.disagreed.length).toBeGreaterThan(10)
  const { disagreed } = await checkAgainstNode({
    ...{ appUrl: store.url, rpcUrl: chain.httpUrl, height: end - 1, sample: 20 },
  })
  expect(new Set(disagreed.map(({ table }) => table))).toEqual(new Set(["ft_holdings", "nft_ownership"]))
})

test("a node without the state of the covered head is an error, not a list of silent contracts", async () => {
  // After a restart the node has the state of its head only.
  await chain.stop()
  chain = await startChain()
  const early = checkAgainstNode({ appUrl: store.url, rpcUrl: chain.httpUrl, height: end - 2 })
  await expect(early).rejects.toThrow(`the node has no state of block ${end - 2}`)
})
