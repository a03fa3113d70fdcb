// What every table and partition of a chain takes on disk. Postgres stats each file for that, so the answer is kept for a
// while, whoever asks.

import type { Clock } from "../platform/clock.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import type { Store } from "./answer-scope.js"

export interface TableSize {
  readonly store: Store
  /** Of partitions, the table that they are parts of. */
  readonly table: string
  /** Null where the table is one file. */
  readonly partition: { readonly name: string; readonly from: number; readonly to: number } | null
  /** With indexes and with what is stored out of line. */
  readonly bytes: number
  readonly indexBytes: number
  /** By the statistics of the last vacuum or analyze; null before. */
  readonly rows: number | null
}

const sizesSql = `select coalesce(parent.relname, own.relname) as "table",
    case when parent.oid is not null then own.relname end as part,
    pg_get_expr(own.relpartbound, own.oid) as bound, pg_total_relation_size(own.oid)::text as bytes,
    pg_indexes_size(own.oid)::text as index_bytes, nullif(own.reltuples, -1)::float8 as rows
  from pg_class own
  left join pg_inherits link on link.inhrelid = own.oid
  left join pg_class parent on parent.oid = link.inhparent
  where own.relnamespace = $1::regnamespace and own.relkind = 'r'
  order by 1, own.oid`

const keptMs = 30_000

export class TableSizes {
  #known: { readonly sizes: Promise<readonly TableSize[]>; readonly at: number } | undefined

  constructor(
    private readonly clock: Clock,
    private readonly read: <T>(store: Store, work: (tx: Queryable) => Promise<T>) => Promise<T>,
  ) {}

  all(): Promise<readonly TableSize[]> {
    const now = this.clock.monotonic()
    if (this.#known && now - this.#known.at < keptMs) return this.#known.sizes
    const sizes = this.#readAll()
    const known = { sizes, at: now }
    this.#known = known
    // A failure is not kept.
    sizes.catch(() => {
      if (this.#known === known) this.#known = undefined
    })
    return sizes
  }

  async #readAll(): Promise<readonly TableSize[]> {
    const raw = await this.read("raw", (tx) => readSizes(tx, "raw"))
    return [...raw, ...(await this.read("app", (tx) => readSizes(tx, "app")))]
  }
}

async function readSizes(tx: Queryable, store: Store): Promise<TableSize[]> {
  const { rows } = await tx.query<{
    table: string
    part: string | null
    bound: string | null
    bytes: string
    index_bytes: string
    rows: number | null
  }>(sizesSql, [store])
  return rows.map((row) => ({
    ...{ store, table: row.table, rows: row.rows, bytes: Number(row.bytes), indexBytes: Number(row.index_bytes) },
    partition: partitionOf(row.part, row.bound),
  }))
}

/** A bound reads `FOR VALUES FROM ('0') TO ('1000')`. */
function partitionOf(name: string | null, bound: string | null): TableSize["partition"] {
  const [from, to] = [...(bound ?? "").matchAll(/\('(\d+)'\)/g)].map(([, height]) => heightFrom(height!))
  return name === null || from === undefined || to === undefined ? null : { name, from, to }
}
