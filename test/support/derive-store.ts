// A chain's two databases with raw rows in them, and what it takes to derive them in this process: what a work thread has,
// without the thread.

import { defaultFailurePolicy } from "../../src/coordination/after-failure.js"
import type { LeaseKeeper } from "../../src/coordination/lease-keeper.js"
import type { Ledgers } from "../../src/coordination/ledgers.js"
import { pinChain } from "../../src/coordination/postgres/pin-chain.js"
import { PostgresLeaseStore } from "../../src/coordination/postgres/postgres-lease-store.js"
import { rawIngester } from "../../src/coordination/raw-ingester.js"
import { type BlockRange, formatRange } from "../../src/domain/block-range.js"
import type { ChainFamily } from "../../src/families/chain-family.js"
import { evmFamily } from "../../src/families/evm/evm-family.js"
import type { EvmBlock } from "../../src/families/evm/raw/evm-block.js"
import { type Clock, systemClock } from "../../src/platform/clock.js"
import { silentLogger } from "../../src/platform/logger.js"
import { systemRandom } from "../../src/platform/random.js"
import type { TipGate } from "../../src/platform/tip-gate.js"
import { Connection } from "../../src/postgres/connection.js"
import { Database } from "../../src/postgres/database.js"
import { createDeriver } from "../../src/roles/compose-work.js"
import { DeriveProgress } from "../../src/workers/derive-progress.js"
import { ensureWorkerTables } from "../../src/workers/postgres/ensure-worker-tables.js"
import { PostgresDerivedStore } from "../../src/workers/postgres/postgres-derived-store.js"
import { PostgresRawReader } from "../../src/workers/postgres/postgres-raw-reader.js"
import { StoredRegistry } from "../../src/workers/postgres/stored-registry.js"
import type { DeriveOutcome, RangeDeriver } from "../../src/workers/range-deriver.js"
import type { RawReader } from "../../src/workers/raw-range.js"
import { readWorkPlan } from "../../src/workers/work-plan.js"
import type { WorkerDefinition } from "../../src/workers/worker-definition.js"
import { WorkerRegistry } from "../../src/workers/worker-registry.js"
import { type BlockRow, insertRawBlock, insertRawRows } from "./raw-rows.js"
import { longKeeper } from "./raw-store.js"
import { createTestDatabase } from "./test-database.js"
import { testLedgers } from "./test-ledgers.js"

export interface DeriveStore {
  readonly rawUrl: string
  readonly appUrl: string
  readonly raw: Database
  readonly app: Database
  readonly ledgers: Ledgers
  readonly storedWorkers: StoredRegistry
  readonly registry: WorkerRegistry
  readonly family: ChainFamily
  /** Another process's deriver. */
  deriver(
    definitions?: readonly WorkerDefinition[],
    options?: {
      /** Another way to the app database, for a test that breaks it. */
      readonly appUrl?: string
      readonly keeper?: LeaseKeeper
      readonly clock?: Clock
      readonly gate?: Pick<TipGate, "pass" | "passBefore">
      /** Holds it up, with its ranges claimed and some of their blocks read. */
      readonly pause?: DerivePause
    },
  ): Promise<RangeDeriver>
  /** Stores blocks as the raw ingester does, under a lease, and tells app of them. They lie in one stretch that is not covered. */
  append(blocks: readonly BlockRow[]): Promise<void>
  /** The same for blocks as a source yields them, with every field that a node sends. */
  appendFetched(blocks: readonly EvmBlock[]): Promise<void>
  /** One range, chosen like any other. */
  deriveNext(deriver: RangeDeriver, run?: DeriveStoreRun): Promise<DeriveOutcome>
  /** Until nothing is left to do. */
  deriveAll(run?: DeriveStoreRun): Promise<readonly DeriveOutcome[]>
  close(): Promise<void>
}

export interface DerivePause {
  /** claimed: nothing was read. written: the last blocks are written, in a transaction that is open. */
  at(moment: "claimed" | "written"): Promise<void>
}

interface DeriveStoreRun {
  readonly region?: BlockRange
  readonly maxBlocks?: number
  readonly order?: "oldest" | "newest"
  readonly workers?: readonly string[]
}

const identity = { chainId: "1337", genesisHash: `0x${"00".repeat(32)}` }

export async function openDeriveStore(
  blocks: readonly BlockRow[],
  {
    workers,
    twoDatabases = false,
    name = "test",
  }: { workers: readonly WorkerDefinition[]; twoDatabases?: boolean; name?: string },
): Promise<DeriveStore> {
  const rawDatabase = await createTestDatabase()
  const appDatabase = twoDatabases ? await createTestDatabase() : rawDatabase
  const raw = new Database({ url: rawDatabase.url, applicationName: "test" })
  const app = new Database({ url: appDatabase.url, applicationName: "test" })
  for (const [database, schema] of [
    [raw, "raw"],
    [app, "app"],
  ] as const) {
    const startBlock = blocks[0]!.height
    await database.transaction((tx) => pinChain(tx, { schema, name, identity, startBlock }))
  }
  await insertRawRows(rawDatabase.url, blocks)
  await raw.query(
    "insert into raw.coverage (worker_type, heights) values ($1, int8multirange(int8range($2::int8, $3::int8)))",
    [rawIngester, blocks[0]!.height, blocks.at(-1)!.height + 1],
  )
  const registry = new WorkerRegistry(workers)
  await ensureWorkerTables({ executor: app, ledger: testLedgers.app }, { registry })
  await testLedgers.app.copyRawCoverage({ raw, app })
  const connections: Connection[] = []
  const connect = (url: string) => async (): Promise<Connection> => {
    const connection = await Connection.open({ url, applicationName: "test" })
    connections.push(connection)
    return connection
  }
  const commit = async (
    more: readonly { readonly height: number }[],
    write: (tx: Connection) => Promise<void>,
  ): Promise<void> => {
    const range = { from: more[0]!.height, to: more.at(-1)!.height + 1 }
    const executor = await connect(rawDatabase.url)()
    const leases = new PostgresLeaseStore({ executor, schema: "raw", random: systemRandom })
    const lease = await leases.claim({
      worker: rawIngester,
      holder: "test",
      regions: [range],
      rangeSize: 1_000_000,
      maxBlocks: range.to - range.from,
      order: "oldest",
      ttlMs: 30_000,
      dependencies: [],
    })
    if (lease?.range.from !== range.from || lease.range.to !== range.to)
      throw new Error(`${formatRange(range)} is not free`)
    await leases.commit(lease, { write })
    await testLedgers.app.copyRawCoverage({ raw, app })
  }
  const store: DeriveStore = {
    rawUrl: rawDatabase.url,
    appUrl: appDatabase.url,
    raw,
    app,
    ledgers: testLedgers,
    storedWorkers: new StoredRegistry(),
    registry,
    family: evmFamily,
    append: (more) =>
      commit(more, async (tx) => {
        for (const block of more) await insertRawBlock(tx, block)
      }),
    appendFetched: (more) =>
      commit(more, async (tx) => {
        const writer = evmFamily.createWriter()
        for (const block of more) writer.add(block)
        await writer.flush(tx)
      }),
    deriver: async (
      definitions = workers,
      { appUrl = appDatabase.url, keeper = longKeeper, clock = systemClock, gate, pause } = {},
    ) => {
      const reader = new PostgresRawReader({
        connect: connect(rawDatabase.url),
        readBlocks: evmFamily.readBlocks,
      })
      const own = new WorkerRegistry(definitions)
      return createDeriver(
        {
          connect: connect(appUrl),
          raw: pause ? pausing(reader, pause) : reader,
          store: new PostgresDerivedStore(own),
          registry: own,
          progress: new DeriveProgress(),
          keeper,
          ...(gate ? { gate } : {}),
          clock,
          random: systemRandom,
          logger: silentLogger,
        },
        {
          holder: "test",
          rangeSize: 1_000,
          recordBackend: true,
          policy: { ...defaultFailurePolicy, backoffBaseMs: 60_000 },
        },
      )
    },
    deriveNext: async (deriver, run = {}) => {
      const runnable = registry.workers.map(({ name }) => name)
      const plan = await readWorkPlan(app, { registry, runnable })
      const members = plan!.members.filter(({ worker }) => !run.workers || run.workers.includes(worker))
      return deriver.deriveNext(
        {
          members,
          regions: [run.region ?? { from: plan!.startHeight, to: plan!.rawEnd }],
          maxBlocks: run.maxBlocks ?? 10,
          ttlMs: 30_000,
          order: run.order ?? "oldest",
        },
        new AbortController().signal,
      )
    },
    deriveAll: async (run) => {
      const deriver = await store.deriver()
      const outcomes: DeriveOutcome[] = []
      for (;;) {
        const outcome = await store.deriveNext(deriver, run)
        if (outcome.kind === "idle") return outcomes
        if (outcome.kind === "failed") throw outcome.error
        outcomes.push(outcome)
      }
    },
    close: async () => {
      for (const connection of connections) connection.destroy()
      await raw.end()
      await app.end()
      await rawDatabase.drop()
      if (twoDatabases) await appDatabase.drop()
    },
  }
  return store
}

function pausing(reader: RawReader, pause: DerivePause): RawReader {
  return {
    open: async (range) => {
      await pause.at("claimed")
      const raw = await reader.open(range)
      return {
        chainEpoch: raw.chainEpoch,
        close: () => raw.close(),
        next: async () => {
          const blocks = await raw.next()
          if (!blocks?.length) await pause.at("written")
          return blocks
        },
      }
    },
  }
}
