// Looks into the app database with plain SQL, beside the product and without its code: what workers cover, hold and failed on.

import { StoreProbe } from "./store-probe.js"

export interface WorkerLease {
  readonly worker: string
  readonly from: number
  readonly to: number
  readonly status: "ACTIVE" | "FAILED" | "DEAD"
  readonly attempt: number
  readonly leasedBy: string | null
  readonly code: string | null
  readonly error: string | null
}

export interface StoredError {
  readonly worker: string
  readonly height: number
  readonly message: string
  readonly resolved: boolean
  readonly seen: number
}

export class DerivedProbe {
  readonly #store: StoreProbe

  constructor(url: string) {
    this.#store = new StoreProbe(url)
  }

  rows: StoreProbe["rows"] = (sql, params) => this.#store.rows(sql, params)

  /** Worker → multirange as text. Without what is copied from raw. */
  async coverage(): Promise<Record<string, string>> {
    const rows = await this.rows<{ worker_type: string; heights: string }>(
      "select worker_type, heights::text as heights from app.coverage where worker_type <> 'raw_ingester'",
    )
    return Object.fromEntries(rows.map(({ worker_type, heights }) => [worker_type, heights]))
  }

  /** Whether these workers, or all, cover exactly this. */
  async covers(heights: string, workers?: readonly string[]): Promise<boolean> {
    const coverage = await this.coverage()
    const names = workers ?? Object.keys(coverage)
    return names.length > 0 && names.every((worker) => coverage[worker] === heights)
  }

  /** Workers that have not derived this height. */
  async missing(height: number): Promise<string[]> {
    const rows = await this.rows<{ worker_type: string }>(
      "select worker_type from app.coverage where worker_type <> 'raw_ingester' and not heights @> $1::int8",
      [height],
    )
    return rows.map(({ worker_type }) => worker_type)
  }

  /** Heights done, summed up over these workers or all. */
  async done(workers: readonly string[] | null = null): Promise<number> {
    const [row] = await this.rows<{ n: string }>(
      `select coalesce(sum(upper(part) - lower(part)), 0) as n from app.coverage, unnest(heights) as part
       where worker_type <> 'raw_ingester' and ($1::text[] is null or worker_type = any ($1))`,
      [workers],
    )
    return Number(row!.n)
  }

  /** Those that are not finished, lowest first. */
  async leases(): Promise<WorkerLease[]> {
    return this.rows<WorkerLease>(
      `select worker_type as worker, from_height::int4 as from, to_height::int4 as to, status, attempt,
         leased_by as "leasedBy", last_error_code as code, last_error as error
       from app.worker_leases where status <> 'COMPLETED' order by from_height, worker_type`,
    )
  }

  async errors(): Promise<StoredError[]> {
    return this.rows<StoredError>(
      `select worker_name as worker, block_height::int4 as height, error_message as message, resolved, seen::int4 as seen
       from app.indexing_errors order by block_height, worker_name, error_message`,
    )
  }

  close(): Promise<void> {
    return this.#store.close()
  }
}
