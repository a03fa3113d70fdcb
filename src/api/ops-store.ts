// What a chain takes on disk: its tables with their growth, and the partitions of one table.

import { Type } from "typebox"
import { rawIngester } from "../coordination/raw-ingester.js"
import { countHeights } from "../domain/range-set.js"
import { type OpsList, wholeList } from "../queries/ops-list.js"
import { readWorkersOfTables } from "../queries/ops-workers.js"
import { readCoverage, type WorkerCoverage } from "../queries/read-coverage.js"
import type { ServedChain } from "../queries/served-chain.js"
import type { TableSize } from "../queries/table-sizes.js"
import { digits, orNull, wholeOrNull } from "../queries/value-schemas.js"
import { readPace } from "../status/store-size.js"

const secondsOfDay = 86_400
const storeOf = Type.Enum(["raw", "app"])
const tableParam = Type.String({ pattern: "^[a-z_][a-z0-9_]{0,62}$" })
const sizes = { rows: wholeOrNull, bytes: Type.Integer(), index_bytes: Type.Integer() }

export const opsStore: OpsList = {
  path: "/store",
  summary: "Tables with their size on disk and their growth",
  query: {},
  row: {
    ...{ store: storeOf, table: Type.String(), worker: orNull("string"), partitions: Type.Integer() },
    ...{ ...sizes, bytes_per_block: orNull("number"), bytes_per_day: wholeOrNull },
  },
  read: async (chain, { after }) => {
    const all = await chain.sizes.all()
    const grown = await readGrown(chain)
    const pace = await chain.read("raw", (tx) => readPace(tx))
    const parts = new Map<string, TableSize[]>()
    for (const size of all) {
      const key = `${size.store}.${size.table}`
      parts.set(key, [...(parts.get(key) ?? []), size])
    }
    const rows = [...parts].map(([key, own]) => {
      const [{ store, table }] = own as [TableSize]
      const bytes = sum(own, "bytes")
      const { worker, blocks } = grown(own[0]!)
      const perBlock = blocks > 0 ? bytes / blocks : null
      const row = {
        ...{ store, table, worker, bytes, index_bytes: sum(own, "indexBytes") },
        partitions: own.filter(({ partition }) => partition !== null).length,
        rows: own.some(({ rows }) => rows !== null) ? sum(own, "rows") : null,
        bytes_per_block: perBlock === null ? null : Math.round(perBlock * 100) / 100,
        bytes_per_day: perBlock === null || !pace ? null : Math.round((perBlock * secondsOfDay) / pace),
      }
      return { key: [key], row }
    })
    return wholeList(rows, after)
  },
}

export const opsPartitions: OpsList = {
  path: "/store/partitions",
  summary: "Partitions of the tables with their size on disk",
  query: { store: Type.Optional(storeOf), table: Type.Optional(tableParam) },
  row: {
    ...{ store: storeOf, table: Type.String(), partition: Type.String(), from: digits, to: digits },
    ...sizes,
  },
  read: async (chain, { values: { store, table }, after }) => {
    const rows = (await chain.sizes.all()).flatMap((size) => {
      const { partition } = size
      if (!partition || (store ?? size.store) !== size.store || (table ?? size.table) !== size.table) return []
      const { name, from, to } = partition
      const row = {
        ...{ store: size.store, table: size.table, partition: name, from: String(from), to: String(to) },
        ...{ rows: size.rows, bytes: size.bytes, index_bytes: size.indexBytes },
      }
      // In the order of the heights.
      return [{ key: [`${size.store}.${size.table} ${String(from).padStart(16, "0")}`], row }]
    })
    return wholeList(rows, after)
  },
}

const sum = (sizes: readonly TableSize[], field: "bytes" | "indexBytes" | "rows"): number =>
  sizes.reduce((total, size) => total + (size[field] ?? 0), 0)

interface Grown {
  readonly worker: string | null
  /** That the table holds something of; 0: it does not grow with the chain. */
  readonly blocks: number
}

/** What a table grows with: the blocks of the worker that fills it. Tables of coordination and the like do not grow. */
async function readGrown(chain: ServedChain): Promise<(size: TableSize) => Grown> {
  const { workers } = await readCoverage(chain)
  const workerOf = await readWorkersOfTables(chain)
  const blocksOf = (worker: string): number => {
    const one = workers.find((known: WorkerCoverage) => known.worker === worker)
    return one ? countHeights(one.covered) : 0
  }
  return ({ store, table, partition }) => {
    const worker = store === "raw" ? (partition ? rawIngester : undefined) : workerOf.get(table)
    return worker === undefined ? { worker: null, blocks: 0 } : { worker, blocks: blocksOf(worker) }
  }
}
