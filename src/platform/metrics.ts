// All metrics, in a registry of this process; nothing is global. docs/reference/metrics.md is checked against
// `metricNames`. Counters count what this process does; gauges show the status of the chain.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client"

const chain = ["chain"] as const

export interface Metrics {
  readonly registry: Registry
  readonly gauges: ReturnType<typeof createGauges>
  readonly counters: ReturnType<typeof createCounters>
  readonly headDelay: Histogram<"chain">
  readonly deriveDelay: Histogram<"chain">
  /** Adds the counts of a thread since its last report. */
  addIngest(chain: string, counts: IngestCounts): void
  addCalls(chain: string, calls: readonly RpcCounts[]): void
  addReaped(chain: string, outcome: ReapedCounts): void
  addRollback(chain: string, finished: { readonly blocks: number; readonly ms: number }): void
  /** Blocks given up, by worker. */
  addDead(chain: string, dead: Readonly<Record<string, number>>): void
  addWork(chain: string, counts: WorkCounts): void
}

export interface WorkCounts {
  /** Ranges done and blocks derived, by worker. */
  readonly workers: Readonly<
    Record<string, { readonly ranges: number; readonly blocks: number; readonly extractMs: number }>
  >
  /** Faults by worker. */
  readonly faults: Readonly<Record<string, number>>
  /** Blocks given up, by worker. */
  readonly dead: Readonly<Record<string, number>>
  readonly rows: number
  readonly bytes: number
  readonly readMs: number
  readonly extractMs: number
  readonly writeMs: number
  readonly foldMs: number
}

export interface IngestCounts {
  readonly blocks: number
  readonly transactions: number
  readonly events: number
  readonly sourceBytes: number
  readonly encodedBytes: number
  readonly ranges: number
  /** Failed ranges by error code. */
  readonly failures: Readonly<Record<string, number>>
  /** Blocks given up, by worker. */
  readonly dead: Readonly<Record<string, number>>
  readonly rpc: readonly RpcCounts[]
  /** Seconds from the head's announcement to its commit, for heads stored since the last report. */
  readonly headDelays: readonly number[]
}

export interface RpcCounts {
  readonly provider: string
  readonly method: string
  /** "ok", or the code of the error. */
  readonly code: string
  readonly calls: number
  readonly bytes: number
  readonly ms: number
}

interface ReapedCounts {
  readonly expired: number
  readonly holdersEnded: number
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: "tidemark_" })
  const gauges = createGauges(registry)
  const counters = createCounters(registry)
  const headDelay = new Histogram({
    name: "tidemark_head_delay_seconds",
    help: "From a head's announcement by the node to its commit",
    labelNames: chain,
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [registry],
  })
  const deriveDelay = new Histogram({
    name: "tidemark_derive_delay_seconds",
    help: "From a head's announcement by the node to the commit of its derived rows, of all workers that are not set apart as slow",
    labelNames: chain,
    buckets: [0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [registry],
  })
  const rollbacks = createRollbackMetrics(registry)
  const addDead: Metrics["addDead"] = (name, dead) => {
    for (const [worker, count] of Object.entries(dead)) counters.blocksDied.inc({ chain: name, worker }, count)
  }
  const addCalls: Metrics["addCalls"] = (name, calls) => {
    for (const rpc of calls) addRpc(counters, name, rpc)
  }
  return {
    registry,
    gauges,
    counters,
    headDelay,
    deriveDelay,
    addCalls,
    addIngest: (name, counts) => {
      addStored(counters, name, counts)
      addDead(name, counts.dead)
      addCalls(name, counts.rpc)
      for (const seconds of counts.headDelays) headDelay.observe({ chain: name }, seconds)
    },
    addReaped: (name, { expired, holdersEnded }) => {
      counters.leasesReaped.inc({ chain: name }, expired)
      counters.backendsEnded.inc({ chain: name }, holdersEnded)
    },
    addRollback: (name, { blocks, ms }) => {
      rollbacks.blocks.observe({ chain: name }, blocks)
      rollbacks.seconds.observe({ chain: name }, ms / 1_000)
    },
    addDead,
    addWork: (name, counts) => {
      addWork(counters, name, counts)
      addDead(name, counts.dead)
    },
  }
}

/** Those that this process finished. The count of each histogram is their number. */
function createRollbackMetrics(registry: Registry) {
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name: `tidemark_${name}`, help, labelNames: chain, buckets, registers: [registry] })
  return {
    blocks: histogram("rollback_blocks", "Blocks that a rollback removed", [1, 2, 5, 10, 64, 1_000, 10_000, 100_000]),
    seconds: histogram(
      "rollback_seconds",
      "From the attempt that finished a rollback to its end",
      [0.05, 0.1, 0.5, 1, 5, 30, 60, 300, 1_800],
    ),
  }
}

function createGauges(registry: Registry) {
  const gauge = <Label extends string = never>(name: string, help: string, labels: readonly Label[] = []) =>
    new Gauge({ name: `tidemark_${name}`, help, labelNames: [...chain, ...labels], registers: [registry] })
  return {
    watermark: gauge("watermark_height", "Every height from the start to this one is stored; -1 for none", ["worker"]),
    coverage: gauge("coverage_blocks", "Heights a worker has finished", ["worker"]),
    gaps: gauge("gaps", "Stretches between start and head that nobody has done or holds", ["worker"]),
    gapBlocks: gauge("gap_blocks", "Heights in those stretches", ["worker"]),
    skipped: gauge("skipped_blocks", "Heights a person passed over", ["worker"]),
    leases: gauge("leases", "Unfinished leases by status", ["worker", "status"]),
    deadBlocks: gauge("dead_blocks", "Blocks that wait for a person", ["worker"]),
    lag: gauge("lag_blocks", "Blocks between the chain's head and what a worker has stored", ["worker"]),
    rate: gauge("blocks_per_second", "Blocks finished per second, over the last minute, by all processes", ["worker"]),
    openErrors: gauge("open_errors", "Errors of a worker that nobody has resolved", ["worker"]),
    paused: gauge("worker_paused", "1 while a person has paused the worker", ["worker"]),
    head: gauge("head_height", "The chain's head, as the node last said"),
    headAge: gauge("head_age_seconds", "Since a process last heard the head from a node"),
    finalized: gauge("finalized_height", "The highest height that is final"),
    start: gauge("start_height", "The first height that is indexed"),
    epoch: gauge("chain_epoch", "How often the chain was rolled back"),
    history: gauge("history_ratio", "Share of the heights from start to head that is stored, 0 to 1"),
    derived: gauge("derived_ratio", "Share of the heights from start to head that every worker has derived, 0 to 1"),
    processes: gauge("processes", "Processes of this chain that were heard of lately"),
    storeBytes: gauge("store_bytes", "Size of a database", ["store"]),
    storeFree: gauge("store_free_bytes", "Bytes left for the databases; absent while that is unknown"),
    daysToFull: gauge("store_days_to_full", "Days until the databases are full; absent while that is unknown"),
    providerUp: gauge("provider_up", "1 when a provider is used, 0 when its circuit is open", ["provider"]),
    providerHead: gauge("provider_head_height", "The newest block that a provider reports", ["provider"]),
    providerFrozen: gauge("provider_frozen", "1 when a provider's head no longer moves", ["provider"]),
    databaseUp: gauge("database_up", "1 when the chain's status could be read"),
    healthState: gauge("health_state", "1 for the state the chain is in, 0 for the others", ["state"]),
    stall: gauge("stall", "1 for the cause the stall doctor names, 0 for the others", ["cause"]),
    damage: gauge("damage_findings", "What the last look over the store by this process found wrong", ["check"]),
  }
}

function createCounters(registry: Registry) {
  const counter = <Label extends string = never>(name: string, help: string, labels: readonly Label[] = []) =>
    new Counter({ name: `tidemark_${name}`, help, labelNames: [...chain, ...labels], registers: [registry] })
  return {
    blocks: counter("blocks_stored_total", "Blocks stored by this process"),
    transactions: counter("transactions_stored_total", "Transactions stored by this process"),
    events: counter("events_stored_total", "Events stored by this process"),
    encodedBytes: counter("encoded_bytes_total", "Bytes sent to the database for blocks"),
    sourceBytes: counter("source_bytes_total", "Bytes of the node's answers that became blocks"),
    ranges: counter("ranges_committed_total", "Ranges committed by this process"),
    failures: counter("range_failures_total", "Ranges that failed, by error code", ["code"]),
    fenceRefusals: counter("fence_refusals_total", "Commits refused because the lease was no longer held"),
    leasesReaped: counter("leases_reaped_total", "Expired leases given to others by this process"),
    backendsEnded: counter("backends_ended_total", "Database sessions of expired holders that were ended"),
    blocksDied: counter("blocks_died_total", "Blocks that this process gave up: they are DEAD", ["worker"]),
    derivedRanges: counter("ranges_derived_total", "Ranges derived by this process", ["worker"]),
    derivedBlocks: counter("blocks_derived_total", "Blocks derived by this process", ["worker"]),
    derivedRows: counter("rows_derived_total", "Event rows derived by this process"),
    workerFaults: counter("worker_faults_total", "Ranges on which a worker failed", ["worker"]),
    deriveSeconds: counter("derive_seconds_total", "Time spent deriving: reading raw, extracting, writing, folding", [
      "phase",
    ]),
    extractSeconds: counter("extract_seconds_total", "Time spent in extracts, by worker", ["worker"]),
    rpcCalls: counter("rpc_calls_total", "Calls to nodes", ["provider", "method"]),
    rpcErrors: counter("rpc_errors_total", "Calls to nodes that failed, by error code", [
      "provider",
      "method",
      "code",
    ]),
    rpcBytes: counter("rpc_bytes_total", "Bytes of answers", ["provider", "method"]),
    rpcSeconds: counter("rpc_seconds_total", "Time spent waiting for answers", ["provider", "method"]),
  }
}

export type StreamMetrics = ReturnType<typeof createStreamMetrics>

/** In a registry of their own: the thread that serves has them. */
export function createStreamMetrics(registry: Registry) {
  const of = (name: string, help: string) => ({ name: `tidemark_${name}`, help, registers: [registry] })
  return {
    open: new Gauge(of("streams_open", "Open event streams")),
    cut: new Counter(of("streams_cut_total", "Event streams that were cut off because their client read too slowly")),
    refused: new Counter(of("streams_refused_total", "Event streams refused because too many were open")),
  }
}

export type HttpMetrics = ReturnType<typeof createHttpMetrics>

/** In the registry of whoever owns the port. */
export function createHttpMetrics(registry: Registry) {
  return {
    seconds: new Histogram({
      name: "tidemark_http_request_seconds",
      help: "Time to answer a request, by the pattern of its route (`none`: there is no such route) and the status",
      labelNames: ["route", "status"],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 30],
      registers: [registry],
    }),
    rejections: new Counter({
      name: "tidemark_http_rejections_total",
      help: "Requests and connections that were turned away, by reason",
      labelNames: ["reason"],
      registers: [registry],
    }),
  }
}

type Counters = ReturnType<typeof createCounters>

function addStored(counters: Counters, name: string, counts: IngestCounts): void {
  const labels = { chain: name }
  counters.blocks.inc(labels, counts.blocks)
  counters.transactions.inc(labels, counts.transactions)
  counters.events.inc(labels, counts.events)
  counters.encodedBytes.inc(labels, counts.encodedBytes)
  counters.sourceBytes.inc(labels, counts.sourceBytes)
  counters.ranges.inc(labels, counts.ranges)
  counters.fenceRefusals.inc(labels, counts.failures["LEASE_LOST"] ?? 0)
  for (const [code, count] of Object.entries(counts.failures)) {
    counters.failures.inc({ ...labels, code }, count)
  }
}

function addWork(counters: Counters, name: string, counts: WorkCounts): void {
  for (const [worker, { ranges, blocks, extractMs }] of Object.entries(counts.workers)) {
    counters.derivedRanges.inc({ chain: name, worker }, ranges)
    counters.derivedBlocks.inc({ chain: name, worker }, blocks)
    counters.extractSeconds.inc({ chain: name, worker }, extractMs / 1_000)
  }
  for (const [worker, faults] of Object.entries(counts.faults))
    counters.workerFaults.inc({ chain: name, worker }, faults)
  counters.derivedRows.inc({ chain: name }, counts.rows)
  const phases = {
    read: counts.readMs,
    extract: counts.extractMs,
    write: counts.writeMs,
    fold: counts.foldMs,
  }
  for (const [phase, ms] of Object.entries(phases)) counters.deriveSeconds.inc({ chain: name, phase }, ms / 1_000)
}

function addRpc(counters: Counters, name: string, { provider, method, code, ...sums }: RpcCounts): void {
  const labels = { chain: name, provider, method }
  counters.rpcCalls.inc(labels, sums.calls)
  counters.rpcBytes.inc(labels, sums.bytes)
  counters.rpcSeconds.inc(labels, sums.ms / 1_000)
  if (code !== "ok") counters.rpcErrors.inc({ ...labels, code }, sums.calls)
}

/** All our names, sorted. Those of the runtime (process, event loop, garbage collection) come from prom-client. */
export function metricNames(): string[] {
  const registry = new Registry()
  createGauges(registry)
  createCounters(registry)
  createStreamMetrics(registry)
  createRollbackMetrics(registry)
  createHttpMetrics(registry)
  return [
    ...registry.getMetricsAsArray().map(({ name }) => name),
    "tidemark_head_delay_seconds",
    "tidemark_derive_delay_seconds",
  ].sort()
}
