import { afterEach, describe, expect, test } from "vitest"
import { checkDerived } from "../../proof/checker/check-derived.js"
import { formatReport } from "../../proof/checker/format-report.js"
import { type CuttingProxy, startCuttingProxy } from "../../test/support/cutting-proxy.js"
import { type DeriveStore, openDeriveStore } from "../../test/support/derive-store.js"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import type { BlockRow, LogRow } from "../../test/support/raw-rows.js"
import { waitUntil } from "../../test/support/wait-until.js"
import { defineWorker } from "../families/evm/define-worker.js"
import { builtInWorkers } from "../families/evm/indexes/built-in-workers.js"
import { listErrors } from "../indexing-errors/list-errors.js"
import { int8 } from "./column.js"
import { eventTable } from "./define-worker.js"
import { reopenHeights } from "./postgres/reopen-heights.js"

let store: DeriveStore
let proxy: CuttingProxy | undefined

afterEach(async () => {
  await store.close()
  proxy?.cut()
  await proxy?.close()
  proxy = undefined
})

const expectRight = async (): Promise<void> => {
  const report = await checkDerived(store)
  if (!report.ok) throw new Error(formatReport(report))
}

const address = (n: number): string => n.toString(16).padStart(2, "0").repeat(20)
const word = (value: bigint | string): string =>
  (typeof value === "string" ? value : value.toString(16)).padStart(64, "0")
const transferTopic = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
const [token, collection, alice, bob, carol] = [0xc1, 0xc2, 0xa1, 0xb1, 0xc9].map(address) as [
  ...[string, string, string, string, string],
]
const paid = (from: string, to: string, amount: bigint): LogRow => ({
  ...{ address: token, topics: [transferTopic, word(from), word(to)], data: word(amount) },
})
const moved = (from: string, to: string, id: bigint): LogRow => ({
  ...{ address: collection, topics: [transferTopic, word(from), word(to), word(id)], data: "" },
})
/** A block for each list of transactions, and a transaction for each list of logs. */
const blocksOf = (blocks: readonly (readonly (readonly LogRow[])[])[]): BlockRow[] =>
  blocks.map((transactions, height) => ({
    height,
    timestamp: new Date(Date.UTC(2024, 0, 1, 0, height)).toISOString(),
    baseFee: 1,
    transactions: transactions.map((logs, index) => ({
      id: word(BigInt(height * 100 + index + 1)),
      columns: { status: 1, from_address: `\\x${alice}`, to_address: `\\x${token}` },
      logs,
    })),
  }))

describe("a commit whose answer is lost", () => {
  const blocks = livelyBlocks({ seed: 5, from: 0, to: 30 })

  test.each([
    ["stored", "after", "{[0,10)}"],
    ["not stored", "before", "{}"],
  ] as const)("was %s, and is neither doubled nor left out", async (_, moment, coverage) => {
    store = await openDeriveStore(blocks, { workers: builtInWorkers })
    proxy = await startCuttingProxy(store.appUrl)
    const deriver = await store.deriver(builtInWorkers, { appUrl: proxy.url })
    const covered = async () => {
      const { rows } = await store.app.query<{ heights: string }>(
        "select distinct heights::text as heights from app.coverage where worker_type <> 'raw_ingester'",
      )
      return rows.map(({ heights }) => heights)
    }
    // The commit of the data, not that of the claim: the one after coverage was raised.
    proxy.cutAt({ first: "set heights = heights +", text: "commit", moment })
    const outcome = await store.deriveNext(deriver)
    expect(outcome).toMatchObject({ kind: "failed", cause: "outage" })
    await waitUntil(async () => (await covered()).join() === coverage, { what: "the server done with it" })
    await store.deriveAll()
    expect(await covered()).toEqual(["{[0,30)}"])
    await expectRight()
    expect(await listErrors(store.app, "app", {})).toEqual([])
  })
})

describe("heights given back", () => {
  test("are derived again, wherever they lie, and not one block between them", async () => {
    store = await openDeriveStore(livelyBlocks({ seed: 6, from: 0, to: 130 }), { workers: builtInWorkers })
    await store.deriveAll({ maxBlocks: 130 })
    const heights = [
      { from: 3, to: 5 },
      { from: 6, to: 7 },
      { from: 120, to: 125 },
    ]
    const request = { worker: "ft_holdings_worker", heights, actor: "test", action: "rederive" }
    expect(await reopenHeights(store, request)).toBe(true)
    const again = await store.deriveAll({ maxBlocks: 130 })
    expect(again.map((outcome) => outcome.kind === "done" && outcome.range)).toEqual(heights)
    await expectRight()
  })
})

describe("rows of one height", () => {
  test("are all kept, however many logs a transaction has", async () => {
    const logs = Array.from({ length: 40 }, (_, i) => paid(alice, bob, BigInt(i)))
    store = await openDeriveStore(blocksOf([[logs, logs], [logs]]), { workers: builtInWorkers })
    await store.deriveAll()
    const { rows } = await store.app.query(
      `select (select count(*)::int from app.evm_logs) as logs, (select count(*)::int from app.ft_transfers) as transfers,
         (select transfers_in::int from app.ft_holdings where address = $1) as received`,
      [Buffer.from(bob, "hex")],
    )
    expect(rows).toEqual([{ logs: 120, transfers: 120, received: 120 }])
    await expectRight()
  })

  test.each(["oldest", "newest"] as const)(
    "count in the order of their logs, whichever is derived last: %s first",
    async (order) => {
      const chain = blocksOf([
        [[moved(alice, carol, 1n)]],
        // Back and forth in one transaction, and again in the next. Whoever has it in between is not who has it last.
        [
          [moved(carol, alice, 1n), moved(alice, carol, 1n)],
          [moved(carol, alice, 1n), moved(alice, bob, 1n)],
        ],
      ])
      store = await openDeriveStore(chain, { workers: builtInWorkers })
      await store.deriveAll({ order, maxBlocks: 1 })
      // The lower block comes last of all.
      const request = {
        worker: "nft_ownership_worker",
        heights: [{ from: 0, to: 1 }],
        actor: "test",
        action: "rederive",
      }
      await reopenHeights(store, request)
      await store.deriveAll()
      const { rows } = await store.app.query(
        `select encode(owner, 'hex') as owner, first_block_height::int as first, last_transaction_index as transaction,
           last_event_index as event from app.nft_ownership`,
      )
      expect(rows).toEqual([{ owner: bob, first: 0, transaction: 1, event: 3 }])
      await expectRight()
    },
  )
})

test("amounts up to the largest are exact, and so are sums that no 78 digits hold", async () => {
  const max = 2n ** 256n - 1n
  const chain = blocksOf(Array.from({ length: 12 }, () => [[paid(address(0), bob, max)]]))
  store = await openDeriveStore(chain, { workers: builtInWorkers })
  await store.deriveAll({ maxBlocks: 5 })
  const { rows } = await store.app.query(
    `select (select max(amount)::text from app.ft_transfers) as amount, balance::text as balance,
       (select minted::text from app.ft_tokens) as minted from app.ft_holdings`,
  )
  const sum = (max * 12n).toString()
  expect(sum).toHaveLength(79)
  expect(rows).toEqual([{ amount: max.toString(), balance: sum, minted: sum }])
  await expectRight()
})

test("an error that named no block is resolved by the range that holds it", async () => {
  const worker = (times: number) =>
    defineWorker({
      name: "repeating",
      version: 1,
      tables: { repeated: eventTable({ columns: { block_height: int8 }, key: ["block_height"] }) },
      extract({ block, emit }) {
        // Twice the same key: the database refuses the rows, and does not say which block they are of.
        for (let i = 0; i < (block.height === 4 ? times : 1); i++) emit.repeated({ block_height: block.height })
      },
    })
  store = await openDeriveStore(livelyBlocks({ seed: 1, from: 0, to: 10 }), { workers: [worker(1)] })
  expect(await store.deriveNext(await store.deriver([worker(2)]))).toMatchObject({
    kind: "failed",
    cause: "failure",
  })
  expect(await listErrors(store.app, "app", {})).toMatchObject([{ worker: "repeating", height: 0, resolved: false }])
  await store.app.query("update app.worker_leases set next_attempt_at = now() where status = 'FAILED'")
  await store.deriveAll()
  expect(await listErrors(store.app, "app", {})).toMatchObject([{ worker: "repeating", height: 0, resolved: true }])
})

test("leases that may be over end the range, and no worker is blamed for it", async () => {
  const worker = defineWorker({
    name: "late",
    version: 1,
    tables: { late_blocks: eventTable({ columns: { block_height: int8 }, key: ["block_height"] }) },
    extract: ({ block, emit }) => emit.late_blocks({ block_height: block.height }),
  })
  store = await openDeriveStore(livelyBlocks({ seed: 1, from: 0, to: 10 }), { workers: [worker] })
  const late = await store.deriver([worker], {
    keeper: { hold: () => ({ signal: AbortSignal.abort(), letGo: () => undefined }) },
  })
  expect(await store.deriveNext(late)).toMatchObject({ kind: "failed", cause: "outage" })
  expect(await listErrors(store.app, "app", {})).toEqual([])
  const { rows } = await store.app.query("select 1 from app.worker_leases where last_error is not null")
  expect(rows).toEqual([])
  await store.deriveAll()
  const { rows: stored } = await store.app.query("select count(*)::int as n from app.late_blocks")
  expect(stored).toEqual([{ n: 10 }])
})
