// Whether finished work makes the next claim dearer: claims and commits with 100 finished ranges against 100,000.

import { PostgresLeaseStore } from "../../src/coordination/postgres/postgres-lease-store.js"
import { rawIngester } from "../../src/coordination/raw-ingester.js"
import { systemRandom } from "../../src/platform/random.js"
import { Connection } from "../../src/postgres/connection.js"
import { quantile } from "../measure/statistics.js"
import type { Table } from "../report/render-table.js"
import type { Benchmark } from "./benchmark.js"

const few = 100
const many = 100_000
const blocksPerRange = 200
const claims = 500
const warmUp = 50

export const claimBenchmark: Benchmark = {
  title: "Claims",
  async run({ postgres, say }) {
    const samples: ClaimSample[] = []
    for (const finished of [few, many]) {
      const url = await postgres.freshDatabase(`bench_claim_${finished}`)
      const connection = await Connection.open({ url, applicationName: "tidemark bench" })
      await finish(connection, finished)
      samples.push({ finished, connection, claimMs: [], commitMs: [] })
    }
    say(`${claims} claims and commits with ${few} and with ${many.toLocaleString("en")} finished ranges, in turn`)
    for (let i = 0; i < warmUp + claims; i++) {
      for (const sample of samples) await claimOnce(sample, { counts: i >= warmUp })
    }
    for (const { connection } of samples) await connection.end()
    return {
      tables: [table(samples)],
      notes: [
        `Each claim is followed by the commit of an empty range, so the number of unfinished leases stays the same; ${claims} of each, in turn, on one connection a store.`,
      ],
    }
  },
}

interface ClaimSample {
  readonly finished: number
  readonly connection: Connection
  readonly claimMs: number[]
  readonly commitMs: number[]
}

/** A store whose first ranges are done, as a run would have left it. */
async function finish(connection: Connection, ranges: number): Promise<void> {
  await connection.query(
    "insert into raw.chain_state (chain_name, chain_id, genesis_hash, start_height) values ('bench', 1, '\\x00', 0)",
  )
  await connection.query(
    `insert into raw.worker_leases (worker_type, from_height, to_height, status, attempt, epoch, leased_by, lease_ttl_ms,
       leased_at, lease_expires_at, completed_at)
     select $1, n * $3::int8, (n + 1) * $3::int8, 'COMPLETED', 1, gen_random_uuid(), 'bench', 30000,
       clock_timestamp(), clock_timestamp(), clock_timestamp()
     from generate_series(0, $2::int8 - 1) as n`,
    [rawIngester, ranges, blocksPerRange],
  )
  await connection.query(
    "update raw.coverage set heights = int8multirange(int8range(0, $2::int8)) where worker_type = $1",
    [rawIngester, ranges * blocksPerRange],
  )
  await connection.query("vacuum analyze raw.worker_leases")
}

async function claimOnce(
  { connection, claimMs, commitMs }: ClaimSample,
  { counts }: { counts: boolean },
): Promise<void> {
  const store = new PostgresLeaseStore<Connection>({
    executor: connection,
    schema: "raw",
    random: systemRandom,
    backend: connection.backend,
  })
  const claimAt = performance.now()
  const lease = await store.claim({
    worker: rawIngester,
    holder: "bench",
    regions: [{ from: 0, to: 1_000_000_000 }],
    rangeSize: 1_000,
    maxBlocks: blocksPerRange,
    order: "oldest",
    ttlMs: 30_000,
    dependencies: [],
  })
  const commitAt = performance.now()
  await store.commit(lease!, { write: async () => undefined })
  if (!counts) return
  claimMs.push(commitAt - claimAt)
  commitMs.push(performance.now() - commitAt)
}

function table(samples: readonly ClaimSample[]): Table {
  const figures = (values: readonly number[]): number[] => [quantile(values, 0.5), quantile(values, 0.99)]
  const rows = samples.map(({ claimMs, commitMs }) => [...figures(claimMs), ...figures(commitMs)])
  const ratios = rows[1]!.map((value, i) => value / rows[0]![i]!)
  const text = (name: string, values: readonly number[]): string[] => [
    name,
    ...values.map((value) => value.toFixed(2)),
  ]
  return {
    columns: ["finished ranges", "claim p50 ms", "claim p99 ms", "commit p50 ms", "commit p99 ms"],
    rows: [...samples.map(({ finished }, i) => text(finished.toLocaleString("en"), rows[i]!)), text("ratio", ratios)],
  }
}
