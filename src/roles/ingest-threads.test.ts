import { EventEmitter } from "node:events"
import type { Worker } from "node:worker_threads"
import { afterEach, beforeEach, expect, test } from "vitest"
import { openRawStore, type RawStore } from "../../test/support/raw-store.js"
import { VirtualClock } from "../../test/support/virtual-clock.js"
import { rawIngester } from "../coordination/raw-ingester.js"
import { listErrors } from "../indexing-errors/list-errors.js"
import { silentLogger } from "../platform/logger.js"
import type { IngestThreadInput } from "./ingest-messages.js"
import { superviseIngest } from "./ingest-threads.js"

class FakeThread extends EventEmitter {
  readonly threadId = 1
  readonly received: { readonly type?: string; readonly lent?: boolean; readonly loan?: number }[] = []
  readonly postMessage = (message: object): void => void this.received.push(message)
  async terminate(): Promise<void> {
    this.emit("exit")
  }
}

let store: RawStore
beforeEach(async () => {
  store = await openRawStore()
})
afterEach(() => store.close())

const leases = async () => {
  const { rows } = await store.database.query(
    `select from_height::int4 as from, to_height::int4 as to, status, attempt, last_error_code as code
     from raw.worker_leases order by from_height`,
  )
  return rows
}

function supervise(thread: FakeThread) {
  return superviseIngest({
    spawned: [thread as unknown as Worker],
    inputs: [{ index: 0 } as IngestThreadInput],
    clock: new VirtualClock(),
    logger: silentLogger,
    drainMs: 1_000,
    renew: async (tokens) => tokens,
    shortestTtlMs: 10_000,
    leases: store.leases,
    database: store.database,
    onReport: () => undefined,
    onAnnounced: () => undefined,
    onStored: () => undefined,
    finishRollback: async () => undefined,
  })
}

test("the leases of an ingest thread that died are released as a bug, with an error on record, and cost no attempt", async () => {
  const thread = new FakeThread()
  const { threads } = supervise(thread)
  const claim = (from: number, to: number) =>
    store.leases.claim({
      ...{ worker: rawIngester, holder: "test", regions: [{ from, to }], rangeSize: 1_000, maxBlocks: 100 },
      ...{ order: "oldest", ttlMs: 30_000, dependencies: [] },
    })
  const held = [await claim(5, 6), await claim(10, 20)]
  threads.start()
  thread.emit("message", { type: "held", leases: held, sentAt: 0 })
  thread.emit("error", new TypeError("x is not a function"))
  thread.emit("exit")
  await threads.stop()
  expect(await leases()).toEqual([
    { from: 5, to: 6, status: "FAILED", attempt: 0, code: "BUG" },
    { from: 10, to: 15, status: "FAILED", attempt: 0, code: "BUG" },
    { from: 15, to: 20, status: "FAILED", attempt: 0, code: "BUG" },
  ])
  expect((await listErrors(store.database, "raw")).sort((a, b) => a.height - b.height)).toMatchObject([
    { worker: rawIngester, height: 5, severity: "FATAL", message: "x is not a function" },
    { worker: rawIngester, height: 10, severity: "FATAL", message: "x is not a function" },
  ])
})

test("a loan that ends before the lanes have closed their connections keeps no borrower waiting", async () => {
  const thread = new FakeThread()
  const { threads, lend } = supervise(thread)
  threads.start()
  const first = lend(true)
  await lend(false)
  // Its borrower needs no connection of the lanes any more.
  await first
  let isClosed = false
  const second = lend(true).then(() => {
    isClosed = true
  })
  const [one, , two] = thread.received.filter(({ type }) => type === "lend").map(({ loan }) => loan)
  // The thread answers each loan: what it says of the first is not true of the second.
  thread.emit("message", { type: "lent", loan: one })
  await new Promise(setImmediate)
  expect(isClosed).toBe(false)
  thread.emit("message", { type: "lent", loan: two })
  await second
  thread.emit("exit")
  await threads.stop()
})
