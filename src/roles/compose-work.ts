// The parts of a work thread: the tip alone, or a few lanes for history. The simulation runs the same parts on a model of
// the database.

import type { LeasedRangeRunner } from "../coordination/leased-range-runner.js"
import type { PartitionedTable } from "../partitions/partitioned-table.js"
import { RangePartitions } from "../partitions/range-partitions.js"
import { FifoLock } from "../platform/fifo-lock.js"
import type { Service } from "../platform/service.js"
import type { TipGate } from "../platform/tip-gate.js"
import type { SqlConnection } from "../postgres/sql-connection.js"
import { LiveDeriver, type LiveDeriverOptions } from "../workers/live-deriver.js"
import { RangeDeriver, type RangeDeriverOptions } from "../workers/range-deriver.js"
import type { RawReader } from "../workers/raw-range.js"
import { SlowWorkers } from "../workers/slow-workers.js"
import { WorkLane, type WorkLaneOptions } from "../workers/work-lane.js"
import { readWorkPlan } from "../workers/work-plan.js"
import { createRunner, type RunnerDeps, type RunnerSettings } from "./compose-runner.js"

export interface DeriverDeps extends RunnerDeps, Omit<RangeDeriverOptions, "runner" | "partitions"> {
  /** Those that are partitioned, in the sizes of the store. */
  readonly tables?: readonly PartitionedTable[]
}

interface ClosableReader extends RawReader {
  close(): Promise<void>
}

export interface ComposeWorkDeps
  extends Omit<DeriverDeps, "raw" | "gate" | "lock">,
    Pick<LiveDeriverOptions, "mayClaim" | "onOutcome" | "onDerived"> {
  /** The tip's sessions have a name of their own, by which lanes see that one waits for them. */
  readonly connectTip: () => Promise<SqlConnection>
  readonly createReader: () => ClosableReader
  readonly gate?: TipGate
}

export interface ComposeWorkSettings
  extends RunnerSettings,
    Pick<WorkLaneOptions, "order" | "endBlock" | "leaseTtlMs"> {
  readonly derivesTip: boolean
  readonly lanes: number
  /** Workers whose tables are ready. */
  readonly runnable: readonly string[]
  readonly headLeaseTtlMs: number
  readonly livePollMs: number
  readonly workIdleMs: number
}

export interface ComposedWork {
  readonly services: readonly Service[]
  readonly live: LiveDeriver | undefined
  readonly runners: readonly LeasedRangeRunner[]
  readonly readers: readonly ClosableReader[]
}

export function createDeriver(deps: DeriverDeps, settings: RunnerSettings): RangeDeriver {
  return new RangeDeriver({
    ...deps,
    runner: createRunner("app", deps, settings),
    partitions: new RangePartitions(deps.tables ?? deps.registry.partitionedTables()),
  })
}

export function composeWork(deps: ComposeWorkDeps, settings: ComposeWorkSettings): ComposedWork {
  const { registry, gate, clock, createReader, connectTip, ...common } = deps
  const { runnable } = settings
  const runners: LeasedRangeRunner[] = []
  const readers: ClosableReader[] = []
  const services: Service[] = []
  const makeLane = (own: Pick<DeriverDeps, "connect" | "gate" | "lock">) => {
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
      leaseTtlMs: settings.headLeaseTtlMs,
      pollMs: settings.livePollMs,
    })
    services.push(live)
  }
  // Lanes fold one after the other. They change the same hot rows: two at once would wait for each other in the database,
  // with locks held, and each would measure the other's time as its own.
  const lock = new FifoLock()
  const slow = new SlowWorkers({ clock })
  for (let index = 0; index < settings.lanes; index++) {
    const lane = makeLane({ connect: deps.connect, lock, ...(gate ? { gate } : {}) })
    const tipIsLive = (): boolean => gate?.live ?? false
    services.push(new WorkLane({ ...deps, ...settings, ...lane, slow, idleMs: settings.workIdleMs, tipIsLive }))
  }
  return { services, live, runners, readers }
}
