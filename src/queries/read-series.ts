// How far a chain was over an hour, a day or a month, from what the role `maintain` keeps: one point for each interval, with the
// last watermark and the worst lag in it, so that fewer points hide no spike.

import type { ServedChain } from "./served-chain.js"

export const seriesSpans = ["hour", "day", "month"] as const
export type SeriesSpan = (typeof seriesSpans)[number]

const spans: Readonly<Record<SeriesSpan, { readonly seconds: number; readonly interval: number }>> = {
  hour: { seconds: 3_600, interval: 30 },
  day: { seconds: 86_400, interval: 30 },
  month: { seconds: 31 * 86_400, interval: 900 },
}

interface Sample {
  readonly watermark: number | null
  readonly covered: number
  readonly lag: number | null
}

interface Row {
  readonly [column: string]: unknown
  readonly at: number
  readonly head: number | null
  readonly workers: Readonly<Record<string, Sample>>
}

interface Point {
  readonly at: number
  readonly head: number | null
  /** Empty where nothing was kept. */
  readonly workers: ReadonlyMap<string, Sample>
}

const rowsSql = `select extract(epoch from at)::float8 * 1000 as at, head_height::float8 as head, workers
  from raw.status_series
  where interval_seconds = $1 and at > clock_timestamp() - $2::int4 * interval '1 second' order by at`

export async function readSeries(
  chain: ServedChain,
  { span, points: most }: { readonly span: SeriesSpan; readonly points: number },
) {
  const { seconds, interval } = spans[span]
  const { rows } = await chain.read("raw", (tx) => tx.query<Row>(rowsSql, [interval, seconds]))
  const every = Math.max(1, Math.ceil(seconds / interval / most)) * interval * 1_000
  const points = pointsOf(rows, every)
  const names = [...new Set(points.flatMap(({ workers }) => [...workers.keys()]))]
  const text = (height: number | null | undefined): string | null => (height == null ? null : String(height))
  return {
    chain: chain.name,
    span,
    interval_ms: every,
    at: points.map(({ at }) => new Date(at).toISOString()),
    head_height: points.map(({ head }) => text(head)),
    workers: names.map((worker) => ({
      worker,
      watermark_height: points.map(({ workers }) => text(workers.get(worker)?.watermark)),
      lag_blocks: points.map(({ workers }) => workers.get(worker)?.lag ?? null),
      blocks_per_second: points.map((point, at) => rate(points[at - 1], point, worker)),
    })),
  }
}

/** On a grid, so that a time in which nobody wrote is a gap and no straight line. */
function pointsOf(rows: readonly Row[], every: number): Point[] {
  const bucketOf = (at: number): number => Math.floor(at / every)
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return []
  const points = Array.from({ length: bucketOf(last.at) - bucketOf(first.at) + 1 }, (_, index) => ({
    at: (bucketOf(first.at) + index) * every,
    head: null as number | null,
    workers: new Map<string, Sample>(),
  }))
  for (const { at, head, workers } of rows) {
    const point = points[bucketOf(at) - bucketOf(first.at)]!
    point.at = at
    point.head = head
    for (const [worker, sample] of Object.entries(workers)) {
      const lags = [sample.lag, point.workers.get(worker)?.lag].filter((lag) => lag != null)
      point.workers.set(worker, { ...sample, lag: lags.length === 0 ? null : Math.max(...lags) })
    }
  }
  return points
}

/** Negative while blocks are rolled back. */
function rate(before: Point | undefined, point: Point, worker: string): number | null {
  const [was, is] = [before?.workers.get(worker), point.workers.get(worker)]
  if (!before || !was || !is || point.at <= before.at) return null
  return Math.round(((is.covered - was.covered) * 100_000) / (point.at - before.at)) / 100
}
