import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type RunningChainServer, startChainServer } from "../../test/support/chain-server.js"
import { openRawStore, type RawStore } from "../../test/support/raw-store.js"
import { testLedgers } from "../../test/support/test-ledgers.js"
import { waitUntil } from "../../test/support/wait-until.js"
import type { Hex } from "../domain/linked-block.js"
import { RawWriter } from "../families/evm/raw/raw-writer.js"
import { listErrors } from "../indexing-errors/list-errors.js"
import { systemClock } from "../platform/clock.js"
import { IndexerError } from "../platform/errors.js"
import type { BlockSource } from "../source/block-source.js"
import { ingestRange } from "./ingest-range.js"

const shape = { blocks: 40, transactionsPerBlock: 3, logsPerBlock: 6, holders: 50 }
let server: RunningChainServer
let other: RunningChainServer
let store: RawStore

beforeAll(async () => {
  server = await startChainServer(shape)
  other = await startChainServer({ chain: server.chain.fork({ at: 20, seed: 9 }) })
})
afterAll(async () => {
  await server.stop()
  await other.stop()
})
beforeEach(async () => {
  store = await openRawStore()
})
afterEach(() => store.close())

const range = (from: number, to: number) => ({ from, to })
const otherHash: Hex = `0x${"cd".repeat(32)}`
const ingest = async (source: BlockSource, part: { from: number; to: number }): Promise<string> =>
  (await store.ingest(source, part)).kind
const heights = async (): Promise<number[]> => {
  const { rows } = await store.database.query<{ height: string }>("select height from raw.blocks order by height")
  return rows.map(({ height }) => Number(height))
}

// The node's answers as rows, made by plain code that shares nothing with the product.
function expectedRows(height: number) {
  const block = JSON.parse(server.chain.block(height, "full").toString())
  const receipts = JSON.parse(server.chain.block(height, "receipts").toString())
  const time = new Date(Number(block.timestamp) * 1_000)
  const number = (hex: string): string => BigInt(hex).toString()
  return {
    block: {
      height: String(height),
      hash: block.hash,
      parent_hash: block.parentHash,
      timestamp: time,
      transaction_count: block.transactions.length,
      event_count: receipts.flatMap((receipt: { logs: unknown[] }) => receipt.logs).length,
      miner: block.miner,
      gas_limit: number(block.gasLimit),
      gas_used: number(block.gasUsed),
      base_fee_per_gas: number(block.baseFeePerGas),
      state_root: block.stateRoot,
      transactions_root: block.transactionsRoot,
      receipts_root: block.receiptsRoot,
    },
    transactions: block.transactions.map((tx: Record<string, string>, i: number) => ({
      block_height: String(height),
      id: tx["hash"],
      transaction_index: i,
      type: Number(tx["type"]),
      status: Number(receipts[i].status),
      from_address: tx["from"],
      to_address: tx["to"],
      nonce: number(tx["nonce"]!),
      value: number(tx["value"]!),
      gas_limit: number(tx["gas"]!),
      gas_used: number(receipts[i].gasUsed),
      cumulative_gas_used: number(receipts[i].cumulativeGasUsed),
      gas_price: number(tx["gasPrice"]!),
      max_fee_per_gas: number(tx["maxFeePerGas"]!),
      max_priority_fee_per_gas: number(tx["maxPriorityFeePerGas"]!),
      effective_gas_price: number(receipts[i].effectiveGasPrice),
      contract_address: null,
      input: tx["input"],
      event_count: receipts[i].logs.length,
    })),
    events: receipts.flatMap((receipt: { logs: Record<string, string | string[]>[] }) =>
      receipt.logs.map((log) => ({
        block_height: String(height),
        transaction_index: Number(log["transactionIndex"]),
        event_index: Number(log["logIndex"]),
        transaction_id: log["transactionHash"],
        address: log["address"],
        topic0: log["topics"]![0] ?? null,
        topic1: log["topics"]![1] ?? null,
        topic2: log["topics"]![2] ?? null,
        topic3: log["topics"]![3] ?? null,
        data: log["data"],
      })),
    ),
    lookups: block.transactions.map((tx: Record<string, string>, i: number) => ({
      id: tx["hash"],
      block_height: String(height),
      tx_index: i,
      timestamp: time,
    })),
  }
}

/** The rows of a table, with the columns that the expected rows have. */
async function storedLike(expected: object[], table: string, where: string): Promise<unknown[]> {
  const columns = Object.keys(expected[0] ?? { block_height: 0 }).join(", ")
  const { rows } = await store.database.query(`select ${columns} from ${table} where ${where}`)
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([key, value]) => [key, Buffer.isBuffer(value) ? `0x${value.toString("hex")}` : value]),
    ),
  )
}

describe("ingesting a range", () => {
  test("stores what the node has, field by field, and the lookups beside it", async () => {
    expect(await ingest(store.source(server.url), range(0, 30))).toBe("done")
    for (const height of [0, 1, 17, 29]) {
      const expected = expectedRows(height)
      const at = `block_height = ${height}`
      const { block, transactions, events, lookups } = expected
      expect(await storedLike([block], "raw.blocks", `height = ${height}`)).toEqual([block])
      expect(await storedLike(transactions, "raw.transactions", `${at} order by transaction_index`)).toEqual(
        transactions,
      )
      expect(await storedLike(events, "raw.events", `${at} order by event_index`)).toEqual(events)
      expect(await storedLike(lookups, "raw.tx_lookup", `${at} order by tx_index`)).toEqual(lookups)
      const lookup = { id: block.hash, height: String(height) }
      expect(await storedLike([lookup], "raw.block_lookup", `height = ${height}`)).toEqual([lookup])
    }
  })

  test("a range larger than one flush is stored completely", async () => {
    const source = store.source(server.url)
    const { leases } = store
    await store.ingest(source, range(0, 1))
    const lease = (await leases.claim({
      worker: "raw_ingester",
      holder: "test",
      regions: [range(1, 40)],
      rangeSize: 1_000,
      maxBlocks: 1_000,
      order: "oldest",
      ttlMs: 10_000,
      dependencies: [],
    }))!
    const signal = new AbortController().signal
    await ingestRange(
      { source, commits: leases, writer: new RawWriter(), clock: systemClock, flushBytes: 1 },
      { lease, fetch: { signal }, withParent: true },
    )
    expect(await heights()).toEqual(Array.from({ length: 40 }, (_, i) => i))
  })

  test("a range whose parent is not the stored neighbour is refused, from either side, and nothing is deleted", async () => {
    const ours = store.source(server.url)
    const theirs = store.source(other.url)
    await store.ingest(ours, range(10, 25))
    const above = await store.ingest(theirs, range(25, 30))
    expect(above).toMatchObject({ kind: "failed", cause: "rollback", error: { code: "SEAM_MISMATCH" } })
    await store.ingest(theirs, range(35, 40))
    const below = await store.ingest(ours, range(30, 35))
    expect(below).toMatchObject({ kind: "failed", cause: "rollback", error: { code: "SEAM_MISMATCH" } })
    expect(await heights()).toEqual([...Array.from({ length: 15 }, (_, i) => 10 + i), 35, 36, 37, 38, 39])
    const { leases } = await testLedgers.raw.snapshot(store.database)
    expect(leases.map(({ range: at, attempt, lastErrorCode }) => ({ at, attempt, lastErrorCode }))).toEqual([
      { at: range(25, 30), attempt: 0, lastErrorCode: "SEAM_MISMATCH" },
      { at: range(30, 35), attempt: 0, lastErrorCode: "SEAM_MISMATCH" },
    ])
  })

  test("of two neighbours in flight that do not fit, the second to commit is refused", async () => {
    const bothWait = async (): Promise<boolean> => {
      const { rows } = await store.database.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      return rows.length === 2
    }
    const both = await store.database.transaction(async (tx) => {
      await tx.query("select 1 from raw.coverage for update")
      const ingesting = [
        store.ingest(store.source(server.url), range(20, 25)),
        store.ingest(store.source(other.url), range(25, 30)),
      ]
      // Both have come as far as they can without seeing the other.
      await waitUntil(bothWait, { what: "two commits that wait for the coverage row" })
      return { ingesting }
    })
    const outcomes = await Promise.all(both.ingesting)
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["done", "failed"])
    expect(outcomes.find(({ kind }) => kind === "failed")).toMatchObject({ error: { code: "SEAM_MISMATCH" } })
    expect((await heights()).length).toBe(5)
  })

  test("neighbours on the same chain join, whichever comes second", async () => {
    const source = store.source(server.url)
    for (const part of [range(10, 20), range(30, 40), range(20, 30), range(0, 10)]) {
      expect(await ingest(source, part)).toBe("done")
    }
    const [coverage] = (await testLedgers.raw.snapshot(store.database)).coverage
    expect(coverage!.heights).toEqual([range(0, 40)])
  })

  test("the block below is requested with the range, and separately only where that returns none or another hash", async () => {
    const real = store.source(server.url)
    const asked: number[] = []
    const counting = (report: (hash: Hex | undefined) => Hex | undefined): BlockSource => ({
      ...wrap(real),
      fetchRange: (part, options) =>
        real.fetchRange(part, {
          ...options,
          ...(options.onParent ? { onParent: (hash) => options.onParent!(report(hash)) } : {}),
        }),
      blockHash: (height, options) => {
        asked.push(height)
        return real.blockHash(height, options)
      },
    })
    const [same, silent, wrong] = [(hash: Hex | undefined) => hash, () => undefined, () => otherHash]
    expect(await ingest(counting(same), range(30, 40))).toBe("done")
    expect(asked).toEqual([])
    expect(await ingest(counting(silent), range(20, 25))).toBe("done")
    expect(await ingest(counting(wrong), range(10, 15))).toBe("done")
    expect(asked).toEqual([19, 9])
  })

  test("a stored block below is not requested", async () => {
    const real = store.source(server.url)
    await store.ingest(real, range(0, 10))
    const wanted: boolean[] = []
    const source: BlockSource = {
      ...wrap(real),
      fetchRange: (part, options) => {
        wanted.push(options.onParent !== undefined)
        return real.fetchRange(part, options)
      },
    }
    expect(await ingest(source, range(10, 20))).toBe("done")
    expect(await ingest(source, range(30, 40))).toBe("done")
    expect(wanted).toEqual([false, true])
  })

  test("a range that reaches above finality asks for its final blocks as such", async () => {
    await store.database.query("update raw.chain_state set finalized_height = 12, live_from = 12")
    const real = store.source(server.url)
    const asked: unknown[] = []
    const source: BlockSource = {
      ...wrap(real),
      fetchRange: (part, { finalTo, ...options }) => {
        asked.push(finalTo)
        return real.fetchRange(part, options)
      },
    }
    for (const part of [range(12, 20), range(0, 12), range(20, 30)]) await store.ingest(source, part)
    expect(asked).toEqual([12, 12, 12])
  })

  test("a first block that names another parent than the node does is refused where nothing is stored below", async () => {
    const real = store.source(server.url)
    const source: BlockSource = {
      ...wrap(real),
      fetchRange: async function* (part, options) {
        for await (const batch of real.fetchRange(part, options))
          yield batch.map((block) => (block.height === part.from ? { ...block, parentHash: otherHash } : block))
      },
    }
    expect(await store.ingest(source, range(10, 20))).toMatchObject({ error: { code: "PARENT_MISMATCH" } })
    expect(await heights()).toEqual([])
  })

  test("a neighbour that is covered but has no row is damage, not a reason to skip the check", async () => {
    const source = store.source(server.url)
    await store.ingest(source, range(0, 10))
    await store.database.query("delete from raw.blocks where height = 9")
    const outcome = await store.ingest(source, range(10, 20))
    expect(outcome).toMatchObject({ kind: "failed", error: { message: "block 9 is covered and has no row" } })
  })

  test("the cause of a failed range is recorded until the range is stored; an outage is not", async () => {
    const real = store.source(server.url)
    const failing = (error: IndexerError): BlockSource => ({
      ...wrap(real),
      // biome-ignore lint/correctness/useYield: fails before its first block.
      fetchRange: async function* () {
        throw error
      },
    })
    await store.ingest(failing(new IndexerError("RPC_TIMEOUT", "no answer")), range(20, 30))
    expect(await listErrors(store.database, "raw")).toEqual([])
    const transactionId = `0x${"ab".repeat(32)}`
    const data = { transactionId, rawData: '{"hash":"0x"}', rawRef: "block 3 of node" }
    const wrong = new IndexerError("VERIFY_FAILED", "block 3 failed", { height: 3, data })
    await store.ingest(failing(wrong), range(0, 10))
    const [stored] = await listErrors(store.database, "raw", { resolved: false })
    expect(stored).toMatchObject({
      ...{ worker: "raw_ingester", height: 3, severity: "WARN", message: "block 3 failed" },
      ...{ transactionId, rawData: Buffer.from(data.rawData), rawRef: data.rawRef },
    })
    for (let i = 0; i < 3; i++) await store.ingest(real, range(0, 10))
    expect(await heights()).toHaveLength(10)
    expect(await listErrors(store.database, "raw")).toMatchObject([{ height: 3, resolved: true }])
  })

  test("an aborted range leaves nothing, not even later, and costs no attempt", async () => {
    const real = store.source(server.url)
    const stopping = new AbortController()
    // The shutdown comes after all is fetched and flushed, before the commit.
    const source: BlockSource = {
      ...wrap(real),
      fetchRange: async function* (asked, options) {
        yield* real.fetchRange(asked, options)
        stopping.abort()
        await new Promise((resolve) => setTimeout(resolve, 50))
      },
    }
    const outcome = await store.ingest(source, range(0, 20), stopping.signal)
    expect(outcome).toMatchObject({ kind: "failed", cause: "shutdown" })
    expect(await heights()).toEqual([])
    expect((await testLedgers.raw.snapshot(store.database)).leases).toMatchObject([
      { status: "FAILED", attempt: 0, range: range(0, 20) },
    ])
    expect(await ingest(real, range(0, 20))).toBe("done")
  })

  test("an unexpected error is a bug: kept with the lease, and costs a single block no attempt", async () => {
    const real = store.source(server.url)
    const source: BlockSource = {
      ...wrap(real),
      // biome-ignore lint/correctness/useYield: fails before its first block.
      fetchRange: async function* () {
        throw new TypeError("undefined is not a block")
      },
    }
    expect(await store.ingest(source, range(0, 5))).toMatchObject({ kind: "failed", cause: "bug" })
    await store.ingest(source, range(7, 8))
    const bug = { status: "FAILED", lastErrorCode: "BUG", lastError: "undefined is not a block" }
    expect((await testLedgers.raw.snapshot(store.database)).leases).toMatchObject([
      { ...bug, range: range(0, 2), attempt: 0 },
      { status: "FAILED", range: range(2, 5), attempt: 0 },
      { ...bug, range: range(7, 8), attempt: 0 },
    ])
  })

  test("a row that the database refuses is a bug of ours too: FATAL, and no attempt", async () => {
    await store.database.query("alter table raw.blocks add check (height <> 7)")
    expect(await store.ingest(store.source(server.url), range(7, 8))).toMatchObject({ kind: "failed", cause: "bug" })
    expect((await testLedgers.raw.snapshot(store.database)).leases).toMatchObject([
      { status: "FAILED", lastErrorCode: "BUG", attempt: 0 },
    ])
    expect(await listErrors(store.database, "raw")).toMatchObject([{ height: 7, severity: "FATAL" }])
  })

  test("a source that leaves a block out in the middle is refused", async () => {
    const real = store.source(server.url)
    const source: BlockSource = {
      ...wrap(real),
      fetchRange: async function* (asked, options) {
        for await (const batch of real.fetchRange(asked, options)) yield batch.filter(({ height }) => height !== 2)
      },
    }
    expect(await store.ingest(source, range(0, 5))).toMatchObject({ kind: "failed", cause: "bug" })
    expect(await heights()).toEqual([])
  })

  test("a source that leaves a block out is refused", async () => {
    const real = store.source(server.url)
    const source: BlockSource = {
      ...wrap(real),
      fetchRange: (asked, options) => real.fetchRange(range(asked.from, asked.to - 1), options),
    }
    expect(await store.ingest(source, range(0, 5))).toMatchObject({ kind: "failed", cause: "bug" })
    expect(await heights()).toEqual([])
  })
})

const wrap = (source: BlockSource): BlockSource => ({
  identity: (options) => source.identity(options),
  head: (options) => source.head(options),
  fetchRange: (asked, options) => source.fetchRange(asked, options),
  blockHash: (height, options) => source.blockHash(height, options),
  hashesByProvider: (heights, options) => source.hashesByProvider(heights, options),
  providers: () => source.providers(),
  takeCounters: () => source.takeCounters(),
  close: () => source.close(),
})
