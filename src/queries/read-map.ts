// The coverage map: for each worker one letter for each bucket of heights, where the worst state wins, so that one dead block is
// visible at any zoom. The database adds up what lies in a bucket: an answer grows with its buckets, not with heights or ranges.

import { rawIngester } from "../coordination/raw-ingester.js"
import type { BlockRange } from "../domain/block-range.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import { readStoredWorkers } from "../workers/read-stored-workers.js"
import type { Store } from "./answer-scope.js"
import { RequestError } from "./request-error.js"
import type { ServedChain } from "./served-chain.js"

/** From the worst to the best. */
export const mapStates = {
  x: "a DEAD block",
  f: "a range that failed and is tried again",
  m: "nothing of it is there",
  p: "some of it is missing",
  a: "being worked on, and nothing else is missing",
  s: "complete, with skipped heights",
  d: "complete",
} as const
type MapState = keyof typeof mapStates

interface Part {
  readonly [column: string]: unknown
  readonly worker: string
  readonly kind: "done" | "skipped" | "active" | "failed" | "dead"
  readonly first: number
  readonly last: number
  /** Exact where first and last differ: then it is one part. */
  readonly from: number
  readonly to: number
  readonly heights: number
  readonly count: number
}

interface Mark {
  readonly [column: string]: unknown
  readonly worker: string
  readonly watermark: string | null
}

const own: Readonly<Record<Store, string>> = {
  raw: "true",
  // App's copy of the raw ingester's row is a hint for claims.
  app: "worker_type in (select name from app.workers)",
}
/** Parts that cross no border of a bucket are added up; of those that cross one there are fewer than buckets. */
const partsSql = (store: Store): string => `
  with parts as (
    select worker_type, 'done' as kind, lower(part) as lo, upper(part) as hi
    from ${store}.coverage cross join unnest(heights) as part where ${own[store]}
    union all
    select worker_type, 'skipped', lower(part), upper(part)
    from ${store}.coverage cross join unnest(skipped) as part where ${own[store]}
    union all
    select worker_type, lower(status), from_height, to_height from ${store}.worker_leases
    where status <> 'COMPLETED' and ${own[store]}
  ), inside as (
    select worker_type, kind, greatest(lo, $1::int8) as lo, least(hi, $2::int8) as hi from parts
    where coalesce(hi, $2::int8) > $1::int8 and coalesce(lo, $1::int8) < $2::int8
  ), placed as (
    select *, ((lo - $1::int8 + 1) * $3::int8 - 1) / ($2::int8 - $1::int8) as first,
      ((hi - $1::int8) * $3::int8 - 1) / ($2::int8 - $1::int8) as last from inside
  )
  select worker_type as worker, kind, first::float8, last::float8, min(lo)::float8 as from, max(hi)::float8 as to,
    sum(hi - lo)::float8 as heights, count(*)::int4 as count
  from placed group by worker_type, kind, first, last`
const marksSql = (store: Store): string => `
  select worker_type as worker,
    (select upper(part) - 1 from unnest(heights + skipped) as part where part @> start_height)::text as watermark
  from ${store}.coverage cross join ${store}.chain_state where ${own[store]} order by worker_type`
const stateSql = "select start_height, head_height, finalized_height from raw.chain_state"
// Few, and with each reorganisation one more.
const rollbacksSql = `select lower(removed)::text as height, epoch::float8 as epoch, created_at from raw.rollbacks
  where lower(removed) >= $1::int8 and lower(removed) < $2::int8 order by epoch desc limit 200`

interface MapRequest {
  readonly from: number | undefined
  readonly to: number | undefined
  readonly buckets: number
}

export async function readMap(chain: ServedChain, request: MapRequest) {
  const raw = await chain.read("raw", async (tx) => {
    const { rows } =
      await tx.query<Record<"start_height" | "head_height" | "finalized_height", string | null>>(stateSql)
    if (!rows[0]) throw new RequestError("NOT_FOUND", `the store of ${chain.name} is empty`)
    const asked = await clamp(tx, request, rows[0])
    const rollbacks = await tx.query<{ height: string; epoch: number; created_at: Date }>(rollbacksSql, [
      asked.from,
      asked.to,
    ])
    return { state: rows[0], asked, rollbacks: rollbacks.rows, ...(await readRows(tx, "raw", asked, request.buckets)) }
  })
  const { asked, state } = raw
  const app = await chain.read("app", async (tx) => ({
    stored: await readStoredWorkers(tx),
    ...(await readRows(tx, "app", asked, request.buckets)),
  }))
  const buckets = bucketCount(asked, request.buckets)
  const dependencies = new Map(app.stored.map((worker) => [worker.name, [rawIngester, ...worker.dependencies]]))
  const workers = [...raw.marks, ...app.marks].map(({ worker, watermark }) => ({
    ...{ worker, dependencies: dependencies.get(worker) ?? [], watermark_height: watermark },
    ...rowOf(
      [...raw.parts, ...app.parts].filter((part) => part.worker === worker),
      asked,
      buckets,
    ),
  }))
  return {
    ...{ chain: chain.name, from: String(asked.from), to: String(asked.to), buckets },
    start_height: state.start_height,
    head_height: state.head_height,
    finalized_height: state.finalized_height,
    workers: inOrder(workers),
    rollbacks: raw.rollbacks.map(({ created_at, ...row }) => ({ ...row, at: created_at.toISOString() })),
  }
}

async function clamp(
  tx: Queryable,
  { from, to }: MapRequest,
  state: Readonly<Record<"start_height" | "head_height", string | null>>,
): Promise<BlockRange> {
  const { rows } = await tx.query<{ end: string | null }>(
    "select max(upper(heights))::text as end from raw.coverage where not isempty(heights)",
  )
  const start = heightFrom(state.start_height!)
  const head = state.head_height === null ? start : heightFrom(state.head_height) + 1
  const end = Math.max(start, head, rows[0]?.end ? heightFrom(rows[0].end) : start)
  const first = Math.min(end, Math.max(start, from ?? start))
  return { from: first, to: Math.max(first, Math.min(end, to ?? end)) }
}

/** A bucket has one height at least. */
const bucketCount = ({ from, to }: BlockRange, most: number): number => Math.min(most, to - from)

async function readRows(tx: Queryable, store: Store, asked: BlockRange, most: number) {
  const buckets = bucketCount(asked, most)
  const { rows: marks } = await tx.query<Mark>(marksSql(store))
  if (buckets === 0) return { marks, parts: [] }
  const { rows: parts } = await tx.query<Part>(partsSql(store), [asked.from, asked.to, buckets])
  return { marks, parts }
}

function rowOf(parts: readonly Part[], { from, to }: BlockRange, buckets: number) {
  const edge = (at: number): number => from + Math.floor(((to - from) * at) / buckets)
  const sums = {
    done: new Float64Array(buckets),
    skipped: new Float64Array(buckets),
    active: new Float64Array(buckets),
  }
  const touched = { failed: new Uint8Array(buckets), dead: new Uint8Array(buckets) }
  const leases = { active: 0, failed: 0, dead: 0 }
  let done = 0
  for (const { kind, first, last, heights, count, ...part } of parts) {
    if (kind === "done" || kind === "skipped") done += heights
    else leases[kind] += count
    if (kind === "failed" || kind === "dead") touched[kind].fill(1, first, last + 1)
    else if (first === last) sums[kind][first]! += heights
    else {
      for (let at = first; at <= last; at++)
        sums[kind][at]! += Math.min(part.to, edge(at + 1)) - Math.max(part.from, edge(at))
    }
  }
  const stateOf = (at: number): MapState => {
    if (touched.dead[at]) return "x"
    if (touched.failed[at]) return "f"
    const [covered, skipped, active] = [sums.done[at]!, sums.skipped[at]!, sums.active[at]!]
    if (covered + skipped + active < edge(at + 1) - edge(at)) return covered + skipped + active > 0 ? "p" : "m"
    return active > 0 ? "a" : skipped > 0 ? "s" : "d"
  }
  const states = Array.from({ length: buckets }, (_, at) => stateOf(at)).join("")
  return { states, missing_blocks: to - from - done, leases }
}

/** Each worker below those that it depends on. */
function inOrder<T extends { readonly worker: string; readonly dependencies: readonly string[] }>(
  workers: readonly T[],
): readonly T[] {
  const depths = new Map<string, number>()
  const depthOf = (name: string): number => {
    const known = depths.get(name)
    if (known !== undefined) return known
    depths.set(name, 0)
    const needed = workers.find(({ worker }) => worker === name)?.dependencies ?? []
    const depth = needed.length === 0 ? 0 : 1 + Math.max(...needed.map(depthOf))
    depths.set(name, depth)
    return depth
  }
  return [...workers].sort((a, b) => depthOf(a.worker) - depthOf(b.worker) || (a.worker < b.worker ? -1 : 1))
}
