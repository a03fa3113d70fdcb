// One process of the product on the model: the services of src/roles with the same parts in the same order, without threads and sockets.

import type { FailurePolicy } from "../../src/coordination/after-failure.js"
import type { LeaseKeeper } from "../../src/coordination/lease-keeper.js"
import { LeaseReaper } from "../../src/coordination/lease-reaper.js"
import { LeaseRenewer } from "../../src/coordination/lease-renewer.js"
import { LeasedRangeRunner } from "../../src/coordination/leased-range-runner.js"
import { PostgresLeaseStore } from "../../src/coordination/postgres/postgres-lease-store.js"
import { evmFamily } from "../../src/families/evm/evm-family.js"
import { isIndexerError } from "../../src/platform/errors.js"
import type { Logger } from "../../src/platform/logger.js"
import type { Service } from "../../src/platform/service.js"
import { Turns } from "../../src/platform/turns.js"
import type { SqlConnection } from "../../src/postgres/sql-connection.js"
import { HeadFollower } from "../../src/raw/head-follower.js"
import { HistoryLane } from "../../src/raw/history-lane.js"
import { RangeIngester } from "../../src/raw/range-ingester.js"
import { RangePartitions } from "../../src/raw/range-partitions.js"
import { finishRollback } from "../../src/rollback/finish-rollback.js"
import { ReorgWatch } from "../../src/rollback/reorg-watch.js"
import { RollbackFinisher } from "../../src/rollback/rollback-finisher.js"
import { DeriveProgress } from "../../src/workers/derive-progress.js"
import type { DerivedStore } from "../../src/workers/derived-store.js"
import { LiveDeriver } from "../../src/workers/live-deriver.js"
import { RangeDeriver } from "../../src/workers/range-deriver.js"
import { RawCoverageCopier } from "../../src/workers/raw-coverage-copier.js"
import { recordError } from "../../src/workers/record-error.js"
import { SlowWorkers } from "../../src/workers/slow-workers.js"
import { WorkLane } from "../../src/workers/work-lane.js"
import { readWorkPlan } from "../../src/workers/work-plan.js"
import { ModelConnection } from "./model/model-connection.js"
import type { ModelDatabase } from "./model/model-database.js"
import { ModelPool } from "./model/model-pool.js"
import type { Plan } from "./plan.js"
import type { SimHost } from "./sim-host.js"
import type { SimSource } from "./sim-source.js"
import { SimBlockWriter, SimRawReader, simBlockBytes } from "./sim-stores.js"
import { simRegistry, simWorkerNames } from "./sim-workers.js"
import { usualTiming } from "./timing.js"

export const policy: FailurePolicy = {
  maxAttempts: 6,
  splitAfterAttempts: 2,
  backoffBaseMs: 100,
  backoffMaxMs: 1_000,
}

export interface SimProcessOptions {
  readonly host: SimHost
  readonly raw: ModelDatabase
  readonly app: ModelDatabase
  readonly source: SimSource
  readonly store: DerivedStore<SqlConnection>
  readonly logger: Logger
  readonly plan: Plan
}

export async function startProcess(options: SimProcessOptions): Promise<void> {
  const { host, raw, app, source, store, logger, plan } = options
  const { clock, random, name: holder } = host
  const { rangeSize, recordBackend, order, timing = usualTiming } = plan
  const connectRaw = (): Promise<ModelConnection> => ModelConnection.open(raw, host)
  const connectApp = (): Promise<ModelConnection> => ModelConnection.open(app, host)
  const pools = { raw: new ModelPool(raw, host), app: new ModelPool(app, host) }
  const deps = { clock, random, logger, family: evmFamily }
  const rawLeases = new PostgresLeaseStore({ executor: pools.raw, schema: "raw", random, policy })
  const appLeases = new PostgresLeaseStore({ executor: pools.app, schema: "app", random, policy })
  const shortestTtlMs = Math.min(timing.leaseTtlMs, timing.headLeaseTtlMs)
  const finisher = new RollbackFinisher({ ...deps, ...pools, intervalMs: timing.finishMs })
  const reapers = [rawLeases, appLeases].map(
    (leases) => new LeaseReaper({ ...deps, leases, intervalMs: timing.reapMs }),
  )
  for (const reaper of reapers) reaper.start()
  // Before anything is stored, as at the start of a real process.
  for (;;) {
    try {
      await finisher.runOnce()
      break
    } catch (error) {
      if (!isIndexerError(error) || error.action !== "retry") throw error
      await clock.sleep(500)
    }
  }
  const rawRenewer = new LeaseRenewer({ ...deps, renew: (tokens) => rawLeases.renew(tokens), shortestTtlMs })
  const appRenewer = new LeaseRenewer({ ...deps, renew: (tokens) => appLeases.renew(tokens), shortestTtlMs })
  const services: Service[] = [finisher, rawRenewer, appRenewer, ...reapers]
  const common = { mayClaim: () => true, onOutcome: () => undefined, endBlock: undefined }
  const makeIngester = (): RangeIngester =>
    new RangeIngester({
      runner: new LeasedRangeRunner({
        ...deps,
        connect: connectRaw,
        leasesOn: (executor) => new PostgresLeaseStore({ executor, schema: "raw", random, policy }),
        keeper: keeperOf(rawRenewer),
        ...{ holder, rangeSize, recordBackend, uncharged: "noted" },
      }),
      partitions: new RangePartitions({ tables: evmFamily.partitionedTables, rangeSize }),
      writer: new SimBlockWriter(),
      ...{ source, clock, flushBytes: 24 * simBlockBytes, deferIndexes: false },
    })
  services.push(
    new HeadFollower({
      ...deps,
      ...common,
      connect: connectRaw,
      ingester: makeIngester(),
      source,
      holder,
      finalityDepth: plan.finalityGap,
      leaseTtlMs: timing.headLeaseTtlMs,
      pollMs: timing.headPollMs,
      takeOverMs: timing.takeOverMs,
      announced: () => false,
      onHead: () => undefined,
      reorgs: new ReorgWatch({
        ...deps,
        ...pools,
        ...{ source, maxDepth: 1_000, confirmMs: timing.confirmMs },
        finish: () => finishRollback({ ...pools, ...deps }),
      }),
    }),
  )
  for (let lane = 0; lane < plan.lanes; lane++) {
    services.push(
      new HistoryLane({
        ...deps,
        ...common,
        ingester: makeIngester(),
        order,
        rangeSize,
        leaseTtlMs: timing.leaseTtlMs,
        targetBytes: timing.targetBytes,
        idleMs: timing.historyIdleMs,
      }),
    )
  }
  const progress = new DeriveProgress()
  const makeLane = (turns?: Turns): { deriver: RangeDeriver; reader: SimRawReader } => {
    const reader = new SimRawReader({ connect: connectRaw })
    const deriver = new RangeDeriver({
      runner: new LeasedRangeRunner({
        ...deps,
        connect: connectApp,
        leasesOn: (executor) => new PostgresLeaseStore({ executor, schema: "app", random, policy }),
        keeper: keeperOf(appRenewer),
        ...{ holder, rangeSize, recordBackend, uncharged: "withdrawn" },
        onCharged: ({ worker, range, height = range.from, error }, connection) =>
          recordError(connection, { worker, height, error }),
      }),
      partitions: new RangePartitions({ tables: simRegistry.partitionedTables(), rangeSize }),
      raw: reader,
      registry: simRegistry,
      ...{ store, progress, clock },
      ...(turns ? { turns } : {}),
    })
    return { deriver, reader }
  }
  const planOf = (deriver: RangeDeriver) => async () =>
    readWorkPlan(await deriver.runner.connection(), { registry: simRegistry, runnable: simWorkerNames })
  const tip = makeLane()
  services.push(
    new LiveDeriver({
      ...deps,
      ...common,
      deriver: tip.deriver,
      copier: new RawCoverageCopier({
        raw: { query: async (sql, params) => (await tip.reader.idleConnection()).query(sql, params) },
        app: () => tip.deriver.runner.connection(),
      }),
      readPlan: planOf(tip.deriver),
      // The tip has a thread to itself, and each thread knows its own.
      slow: new SlowWorkers({ clock }),
      leaseTtlMs: timing.headLeaseTtlMs,
      pollMs: timing.livePollMs,
      onDerived: () => undefined,
    }),
  )
  const turns = new Turns()
  const slow = new SlowWorkers({ clock })
  for (let lane = 0; lane < plan.lanes; lane++) {
    const { deriver } = makeLane(turns)
    services.push(
      new WorkLane({
        ...deps,
        ...common,
        deriver,
        readPlan: planOf(deriver),
        slow,
        order,
        rangeSize,
        leaseTtlMs: timing.leaseTtlMs,
        idleMs: timing.workIdleMs,
        tipIsLive: () => false,
      }),
    )
  }
  for (const service of services) service.start()
}

const keeperOf = (renewer: LeaseRenewer): LeaseKeeper => ({
  hold: (leases, { sentAt, signal }) => {
    const held = leases.map((lease) => renewer.hold(lease, { sentAt, signal }))
    const over = new AbortController()
    for (const one of held)
      one.signal.addEventListener("abort", () => over.abort(one.signal.reason), { once: true })
    return {
      signal: over.signal,
      letGo: () => {
        for (const one of held) one.letGo()
      },
    }
  },
})
