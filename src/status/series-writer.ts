// Keeps how far each worker was in raw.status_series, for plots that outlive a restart: every 30 s for a day, every 15 minutes
// for a month. One process writes at a time, and two could do no harm: a time has one row.

import type { Elections } from "../coordination/elections.js"
import { LoopingService, type LoopOptions } from "../platform/looping-service.js"
import type { Database } from "../postgres/database.js"
import type { Queryable } from "../postgres/transaction.js"

export interface SeriesWriterOptions extends Omit<LoopOptions, "name" | "intervalMs"> {
  readonly raw: Database
  readonly app: Database
  readonly elections: Elections
}

const fineSeconds = 30
const coarseSeconds = 900
const keptSeconds: readonly (readonly [interval: number, kept: number])[] = [
  [fineSeconds, 25 * 3_600],
  [coarseSeconds, 32 * 86_400],
]
/** Declared by a config, and few; a store that was filled with others must not fill the table. */
const mostWorkers = 200

interface Figure {
  readonly [column: string]: unknown
  readonly worker: string
  readonly watermark: number | null
  readonly covered: number
  readonly tip: number
}

const figuresSql = (schema: "raw" | "app", only: string): string =>
  `select worker_type as worker,
     (select upper(part) - 1 from unnest(heights + skipped) as part where part @> start_height)::float8 as watermark,
     (select coalesce(sum(upper(part) - lower(part)), 0) from unnest(heights) as part)::float8 as covered,
     coalesce(upper(heights), start_height)::float8 - 1 as tip
   from ${schema}.coverage cross join ${schema}.chain_state ${only} order by worker_type limit ${mostWorkers}`
const rawFiguresSql = figuresSql("raw", "")
// App's copy of the raw ingester's row is a hint for claims.
const appFiguresSql = figuresSql("app", "where worker_type in (select name from app.workers)")

export class SeriesWriter extends LoopingService {
  constructor(private readonly options: SeriesWriterOptions) {
    super({ ...options, name: "series-writer", intervalMs: fineSeconds * 1_000 })
  }

  async runOnce(): Promise<undefined> {
    const { raw, app, elections } = this.options
    // Read first, so that no run holds two connections.
    const derived = await app.query<Figure>(appFiguresSql)
    await raw.transaction(async (tx) => {
      if (!(await elections.win(tx, "series-writer"))) return
      const { rows: ingested } = await tx.query<Figure>(rawFiguresSql)
      const { rows } = await tx.query<{ head: number | null }>(
        "select head_height::float8 as head from raw.chain_state",
      )
      if (!rows[0]) return
      const { head } = rows[0]
      await keep(tx, head, workersJson([...ingested, ...derived.rows], head))
    })
  }
}

const workersJson = (figures: readonly Figure[], head: number | null): string =>
  JSON.stringify(
    Object.fromEntries(
      figures.map(({ worker, watermark, covered, tip }) => [
        worker,
        { watermark, covered, lag: head === null ? null : Math.max(0, head - tip) },
      ]),
    ),
  )

async function keep(tx: Queryable, head: number | null, workers: string): Promise<void> {
  for (const [interval, kept] of keptSeconds) {
    await tx.query(
      `insert into raw.status_series (interval_seconds, at, head_height, workers)
       values ($1::int4, to_timestamp(floor(extract(epoch from clock_timestamp()) / $1::int4) * $1::int4), $2, $3)
       on conflict do nothing`,
      [interval, head, workers],
    )
    await tx.query(
      `delete from raw.status_series
       where interval_seconds = $1 and at < clock_timestamp() - $2::int4 * interval '1 second'`,
      [interval, kept],
    )
  }
}
