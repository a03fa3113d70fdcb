// A raw store of a test's own, with everything needed to ingest into it in this process: database, source, ingester.

import { defaultFailurePolicy } from "../../src/coordination/after-failure.js"
import type { LeaseKeeper } from "../../src/coordination/lease-keeper.js"
import { pinChain } from "../../src/coordination/postgres/pin-chain.js"
import { PostgresLeaseStore } from "../../src/coordination/postgres/postgres-lease-store.js"
import { rawIngester } from "../../src/coordination/raw-ingester.js"
import type { BlockRange } from "../../src/domain/block-range.js"
import { evmFamily } from "../../src/families/evm/evm-family.js"
import { EvmSource } from "../../src/families/evm/source/evm-source.js"
import { systemClock } from "../../src/platform/clock.js"
import { silentLogger } from "../../src/platform/logger.js"
import { systemRandom } from "../../src/platform/random.js"
import { Connection } from "../../src/postgres/connection.js"
import { Database } from "../../src/postgres/database.js"
import type { IngestOutcome, RangeIngester } from "../../src/raw/range-ingester.js"
import { createIngester } from "../../src/roles/compose-ingest.js"
import type { BlockSource } from "../../src/source/block-source.js"
import { createTestDatabase } from "./test-database.js"
import { testLedgers } from "./test-ledgers.js"

export interface RawStore {
  readonly url: string
  readonly database: Database
  readonly leases: PostgresLeaseStore<Connection>
  /** Another process's ingester on the same store. */
  ingester(source: BlockSource): RangeIngester
  source(url: string): EvmSource
  ingest(source: BlockSource, range: BlockRange, signal?: AbortSignal): Promise<IngestOutcome>
  close(): Promise<void>
}

const deps = { clock: systemClock, random: systemRandom, logger: silentLogger }

/** Leases that last as long as a test. */
export const longKeeper: LeaseKeeper = {
  hold: (_leases, { signal }) => ({ signal, letGo: () => undefined }),
}

export async function openRawStore(options: { deferIndexes?: boolean; keeper?: LeaseKeeper } = {}): Promise<RawStore> {
  const { keeper = longKeeper } = options
  const { url, drop } = await createTestDatabase()
  const database = new Database({ url, applicationName: "test" })
  const connections: Connection[] = []
  const connect = async (): Promise<Connection> => {
    const connection = await Connection.open({ url, applicationName: "test" })
    connections.push(connection)
    return connection
  }
  const identity = { chainId: "1337", genesisHash: `0x${"00".repeat(32)}` }
  await database.transaction((tx) => pinChain(tx, { schema: "raw", name: "test", identity, startBlock: undefined }))
  const leases = new PostgresLeaseStore({ executor: await connect(), schema: "raw", random: systemRandom })
  await testLedgers.raw.register(database, rawIngester)
  const sources: EvmSource[] = []
  const ingester = (source: BlockSource): RangeIngester =>
    createIngester(
      { ...deps, family: evmFamily, connect, source, createWriter: () => evmFamily.createWriter(), keeper },
      {
        holder: "test",
        rangeSize: 1_000,
        flushBytes: 1 << 20,
        deferIndexes: options.deferIndexes ?? false,
        recordBackend: true,
        policy: defaultFailurePolicy,
      },
    )
  return {
    url,
    database,
    leases,
    ingester,
    source: (rpc) => {
      const source = new EvmSource(deps, {
        providers: [{ url: rpc }],
        rounds: 1,
        refetches: 1,
        refetchDelayMs: 1,
      })
      sources.push(source)
      return source
    },
    ingest: (source, range, signal = new AbortController().signal) =>
      ingester(source).ingestNext(
        { regions: () => [range], maxBlocks: 1_000, ttlMs: 10_000, order: "oldest", inOrder: false },
        signal,
      ),
    close: async () => {
      await Promise.all(sources.map((source) => source.close()))
      for (const connection of connections) connection.destroy()
      await database.end()
      await drop()
    },
  }
}
