// Every worker of a chain with its dependencies: how far it is, what it holds and what is wrong with it.

import { Type } from "typebox"
import { rawIngester } from "../coordination/raw-ingester.js"
import { countHeights } from "../domain/range-set.js"
import type { Queryable } from "../postgres/transaction.js"
import { readStoredWorkers } from "../workers/read-stored-workers.js"
import type { Store } from "./answer-scope.js"
import { type OpsList, wholeList } from "./ops-list.js"
import { readCoverage, type WorkerCoverage, workerWatermark } from "./read-coverage.js"
import type { ServedChain } from "./served-chain.js"
import { orNull, wholeOrNull } from "./value-schemas.js"

const openErrorsSql: Readonly<Record<Store, string>> = {
  raw: "select worker_name, count(*)::int4 as open from raw.indexing_errors where not resolved group by 1",
  app: "select worker_name, count(*)::int4 as open from app.indexing_errors where not resolved group by 1",
}

export const opsWorkers: OpsList = {
  path: "/workers",
  summary: "Workers with what they depend on, how far they are, their leases and open errors",
  query: {},
  row: {
    worker: Type.String(),
    dependencies: Type.Array(Type.String()),
    version: wholeOrNull,
    tables: Type.Array(Type.String()),
    paused: Type.Boolean(),
    paused_reason: orNull("string"),
    concurrency: wholeOrNull,
    watermark_height: orNull("string"),
    tip_height: orNull("string"),
    covered_blocks: Type.Integer(),
    skipped_blocks: Type.Integer(),
    lag_blocks: wholeOrNull,
    leases: Type.Object({ active: Type.Integer(), failed: Type.Integer(), dead: Type.Integer() }),
    open_errors: Type.Integer(),
  },
  read: async (chain, { after }) => {
    const { head } = await chain.head()
    const { start, workers } = await readCoverage(chain)
    const raw = await chain.read("raw", (tx) => openErrors(tx, "raw"))
    const [app, stored] = await chain.read("app", async (tx) => [
      await openErrors(tx, "app"),
      await readStoredWorkers(tx),
    ])
    const rows = workers.map((worker) => {
      const declared = stored.find(({ name }) => name === worker.worker)
      const tip = worker.covered.at(-1)
      const mark = workerWatermark(start, worker)
      const row = {
        worker: worker.worker,
        dependencies: worker.store === "raw" ? [] : [rawIngester, ...(declared?.dependencies ?? [])],
        version: declared?.version ?? null,
        tables: declared?.tables ?? [],
        paused: declared?.paused ?? false,
        paused_reason: declared?.pausedReason ?? null,
        concurrency: declared?.concurrency ?? null,
        watermark_height: mark === null ? null : String(mark),
        tip_height: tip ? String(tip.to - 1) : null,
        covered_blocks: countHeights(worker.covered),
        skipped_blocks: countHeights(worker.skipped),
        lag_blocks: head === null ? null : Math.max(0, head - (tip ? tip.to - 1 : start - 1)),
        leases: leaseCounts(worker),
        open_errors: (worker.store === "raw" ? raw : app).get(worker.worker) ?? 0,
      }
      return { key: [worker.worker], row }
    })
    return wholeList(rows, after)
  },
}

/** The worker that fills a table of app. */
export async function readWorkersOfTables(chain: ServedChain): Promise<ReadonlyMap<string, string>> {
  const stored = await chain.read("app", (tx) => readStoredWorkers(tx))
  return new Map(stored.flatMap(({ name, tables }) => tables.map((table) => [table, name] as const)))
}

const leaseCounts = ({ leases }: WorkerCoverage) => {
  const count = (status: string): number => leases.filter((lease) => lease.status === status).length
  return { active: count("ACTIVE"), failed: count("FAILED"), dead: count("DEAD") }
}

async function openErrors(tx: Queryable, store: Store): Promise<ReadonlyMap<string, number>> {
  const { rows } = await tx.query<{ worker_name: string; open: number }>(openErrorsSql[store])
  return new Map(rows.map(({ worker_name, open }) => [worker_name, open]))
}
