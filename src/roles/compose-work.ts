// What a thread that derives consists of: the tip alone, or a few lanes for history. The simulation runs the same on a model of the
// database.

import type { FailurePolicy } from "../coordination/after-failure.js"
import type { LeaseKeeper } from "../coordination/lease-keeper.js"
import { LeasedRangeRunner } from "../coordination/leased-range-runner.js"
import { PostgresLeaseStore } from "../coordination/postgres/postgres-lease-store.js"
import { postgresLedgers } from "../coordination/postgres/postgres-ledgers.js"
import type { BlockRange } from "../domain/block-range.js"
import { recordCharges } from "../indexing-errors/record-error.js"
import type { Clock } from "../platform/clock.js"
import type { Logger } from "../platform/logger.js"
import type { Random } from "../platform/random.js"
import type { Service } from "../platform/service.js"
import type { TipGate } from "../platform/tip-gate.js"
import { Turns } from "../platform/turns.js"
import type { SqlConnection } from "../postgres/sql-connection.js"
import { RangePartitions } from "../raw/range-partitions.js"
import type { DeriveProgress } from "../workers/derive-progress.js"
import type { DerivedStore } from "../workers/derived-store.js"
import { LiveDeriver } from "../workers/live-deriver.js"
import { type DeriveOutcome, RangeDeriver } from "../workers/range-deriver.js"
import { RawCoverageCopier } from "../workers/raw-coverage-copier.js"
import type { RawReader } from "../workers/raw-range.js"
import { SlowWorkers } from "../workers/slow-workers.js"
import { WorkLane } from "../workers/work-lane.js"
import { readWorkPlan } from "../workers/work-plan.js"
import type { WorkerRegistry } from "../workers/worker-registry.js"

export interface DeriverDeps {
  readonly connect: () => Promise<SqlConnection>
  readonly raw: RawReader
  readonly store: DerivedStore<SqlConnection>
  readonly registry: WorkerRegistry
  readonly progress: DeriveProgress
  readonly keeper: LeaseKeeper
  /** Workers that come with Tidemark: an unexpected error in one is a bug. */
  readonly builtIn?: ReadonlySet<string>
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** Of history: it waits for the tip, and folds one range after the other. */
  readonly gate?: Pick<TipGate, "pass" | "passBefore">
  readonly turns?: Turns
}

export interface DeriverSettings {
  readonly holder: string
  readonly rangeSize: number
  /** Direct connections only: behind a pooler a backend is not the holder's own. */
  readonly recordBackend: boolean
  readonly policy: FailurePolicy
}

/** Reads raw on a connection that may be used otherwise between two ranges. */
interface LendingReader extends RawReader {
  idleConnection(): Promise<SqlConnection>
  close(): Promise<void>
}

export interface ComposeWorkDeps extends Omit<DeriverDeps, "raw" | "gate" | "turns"> {
  /** Of the tip: told from the others by those who look whether it waits. */
  readonly connectTip: () => Promise<SqlConnection>
  readonly createReader: () => LendingReader
  readonly gate?: TipGate
  readonly mayClaim: () => boolean
  readonly onOutcome: (outcome: DeriveOutcome) => void
  readonly onDerived: (range: BlockRange) => void
}

export interface ComposeWorkSettings extends DeriverSettings {
  readonly derivesTip: boolean
  readonly lanes: number
  /** Workers whose tables are ready for them. */
  readonly runnable: readonly string[]
  readonly order: "oldest" | "newest"
  readonly endBlock: number | undefined
  readonly leaseTtlMs: number
  readonly headLeaseTtlMs: number
  readonly livePollMs: number
  readonly workIdleMs: number
}

export interface ComposedWork {
  readonly services: readonly Service[]
  readonly live: LiveDeriver | undefined
  readonly runners: readonly LeasedRangeRunner[]
  readonly readers: readonly LendingReader[]
}

export function createDeriver(deps: DeriverDeps, settings: DeriverSettings): RangeDeriver {
  const { registry, random } = deps
  const { rangeSize, policy, recordBackend } = settings
  return new RangeDeriver({
    ...deps,
    runner: new LeasedRangeRunner({
      ...deps,
      ...settings,
      leasesOn: (executor) =>
        new PostgresLeaseStore({
          ...{
            executor,
            schema: "app",
            random,
            policy,
            backend: recordBackend ? executor.backend : undefined,
          },
        }),
      uncharged: "withdrawn",
      onCharged: recordCharges("app"),
    }),
    partitions: new RangePartitions({ tables: registry.partitionedTables(), rangeSize }),
  })
}

export function composeWork(deps: ComposeWorkDeps, settings: ComposeWorkSettings): ComposedWork {
  const { registry, gate, clock, createReader, connectTip, ...common } = deps
  const { runnable } = settings
  const runners: LeasedRangeRunner[] = []
  const readers: LendingReader[] = []
  const services: Service[] = []
  const makeLane = (own: Pick<DeriverDeps, "connect" | "gate" | "turns">) => {
    const raw = createReader()
    const deriver = createDeriver({ ...common, registry, clock, raw, ...own }, settings)
    readers.push(raw)
    runners.push(deriver.runner)
    const readPlan = async () => readWorkPlan(await deriver.runner.connection(), { registry, runnable })
    return { deriver, raw, readPlan, slow: new SlowWorkers({ clock }) }
  }
  let live: LiveDeriver | undefined
  if (settings.derivesTip) {
    const tip = makeLane({ connect: connectTip })
    live = new LiveDeriver({
      ...deps,
      ...settings,
      ...tip,
      copier: new RawCoverageCopier({
        ledger: postgresLedgers(deps).app,
        raw: { query: async (sql, params) => (await tip.raw.idleConnection()).query(sql, params) },
        app: () => tip.deriver.runner.connection(),
      }),
      leaseTtlMs: settings.headLeaseTtlMs,
      pollMs: settings.livePollMs,
    })
    services.push(live)
  }
  // Lanes fold one after the other. They change the same hot rows: two at once would wait for each other in the database all
  // the same, with locks held, and each would take the other's time for its own.
  const turns = new Turns()
  const slow = new SlowWorkers({ clock })
  for (let index = 0; index < settings.lanes; index++) {
    const lane = makeLane({ connect: deps.connect, turns, ...(gate ? { gate } : {}) })
    const tipIsLive = (): boolean => gate?.live ?? false
    services.push(
      new WorkLane({ ...deps, ...settings, ...lane, slow, idleMs: settings.workIdleMs, tipIsLive }),
    )
  }
  return { services, live, runners, readers }
}
