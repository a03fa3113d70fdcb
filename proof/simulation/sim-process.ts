// One process of the product on the model of Postgres, composed by src/roles, without threads and sockets.

import type { FailurePolicy } from "../../src/coordination/after-failure.js"
import { LeaseRenewer } from "../../src/coordination/lease-renewer.js"
import type { LeaseStore } from "../../src/coordination/lease-store.js"
import { postgresLedgers } from "../../src/coordination/postgres/postgres-ledgers.js"
import { evmFamily } from "../../src/families/evm/evm-family.js"
import type { Logger } from "../../src/platform/logger.js"
import type { SqlConnection } from "../../src/postgres/sql-connection.js"
import { composeCoordination } from "../../src/roles/compose-coordination.js"
import { composeIngest } from "../../src/roles/compose-ingest.js"
import { composeWork } from "../../src/roles/compose-work.js"
import { patience } from "../../src/roles/patience.js"
import { finishRollback } from "../../src/rollback/finish-rollback.js"
import { DeriveProgress } from "../../src/workers/derive-progress.js"
import type { DerivedStore } from "../../src/workers/derived-store.js"
import { ModelConnection } from "./model/model-connection.js"
import type { ModelDatabase } from "./model/model-database.js"
import { ModelPool } from "./model/model-pool.js"
import type { Plan } from "./plan.js"
import type { SimHost } from "./sim-host.js"
import type { SimSource } from "./sim-source.js"
import { SimBlockWriter, SimRawReader, simBlockBytes } from "./sim-stores.js"
import { simRegistry, simWorkerNames, storedWorkers } from "./sim-workers.js"
import { usualTiming } from "./timing.js"

const policy: FailurePolicy = {
  ...{ maxAttempts: 6, splitAfterAttempts: 2, backoffBaseMs: 100, backoffMaxMs: 1_000 },
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
  const { rangeSize, recordBackend, order, lanes, timing = usualTiming } = plan
  const { leaseTtlMs, headLeaseTtlMs } = timing
  const pools = { raw: new ModelPool(raw, host), app: new ModelPool(app, host) }
  const ledgers = postgresLedgers({ random })
  const deps = { clock, random, logger, family: evmFamily, ledgers, storedWorkers }
  const coordination = composeCoordination(
    { ...deps, ...pools, patiently: patience(deps, new AbortController().signal) },
    {
      ...{ policy, reapIntervalMs: timing.reapMs, finishIntervalMs: timing.finishMs },
      copyIntervalMs: timing.livePollMs,
      ingests: true,
      onCopied: () => work.live?.wake(),
    },
  )
  await coordination.begin()
  const shortestTtlMs = Math.min(leaseTtlMs, headLeaseTtlMs)
  // In the product the supervisors of the threads have these.
  const keeperOf = (leases: LeaseStore): LeaseRenewer =>
    new LeaseRenewer({ ...deps, renew: (tokens) => leases.renew(tokens), shortestTtlMs })
  const keepers = { raw: keeperOf(coordination.rawLeases), app: keeperOf(coordination.appLeases) }
  const common = { holder, rangeSize, recordBackend, policy, lanes, order, leaseTtlMs, headLeaseTtlMs }
  const nothing = (): undefined => undefined
  const ingest = composeIngest(
    {
      ...deps,
      connect: () => ModelConnection.open(raw, host),
      source,
      createWriter: () => new SimBlockWriter(),
      keeper: keepers.raw,
      announced: () => false,
      mayClaim: () => true,
      mayFillHistory: () => true,
      finishRollback: () => finishRollback({ ...pools, ...deps }),
      ...{ onHead: nothing, onHeadOutcome: nothing, onHistoryOutcome: nothing },
    },
    {
      ...common,
      processId: holder,
      followsHead: true,
      endBlock: undefined,
      finalityDepth: plan.finalityGap,
      headPollMs: timing.headPollMs,
      takeOverMs: timing.takeOverMs,
      historyIdleMs: timing.historyIdleMs,
      targetBytes: timing.targetBytes,
      flushBytes: 24 * simBlockBytes,
      deferIndexes: false,
      maxReorgDepth: 1_000,
      reorgConfirmMs: timing.confirmMs,
    },
  )
  const connectApp = (): Promise<SqlConnection> => ModelConnection.open(app, host)
  const work = composeWork(
    {
      ...deps,
      connect: connectApp,
      connectTip: connectApp,
      createReader: () => new SimRawReader({ connect: () => ModelConnection.open(raw, host) }),
      store,
      registry: simRegistry,
      progress: new DeriveProgress(),
      keeper: keepers.app,
      mayClaim: () => true,
      ...{ onOutcome: nothing, onDerived: nothing },
    },
    {
      ...common,
      derivesTip: true,
      runnable: simWorkerNames,
      endBlock: undefined,
      livePollMs: timing.livePollMs,
      workIdleMs: timing.workIdleMs,
    },
  )
  const services = [...coordination.services, keepers.raw, keepers.app, ...ingest.services, ...work.services]
  for (const service of services) service.start()
}
