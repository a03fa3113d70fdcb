// The inside of a worker thread that derives: the tip alone, or a few lanes for history. It claims, reads, extracts and commits;
// its leases are kept alive by the process, which also ends it when an extract does not come back.

import { parentPort, workerData } from "node:worker_threads"
import { defaultFailurePolicy, type FailurePolicy } from "../coordination/after-failure.js"
import { LeasedRangeRunner } from "../coordination/leased-range-runner.js"
import { PostgresLeaseStore } from "../coordination/postgres/postgres-lease-store.js"
import { systemClock } from "../platform/clock.js"
import { systemRandom } from "../platform/random.js"
import type { Service } from "../platform/service.js"
import { TipGate } from "../platform/tip-gate.js"
import { Turns } from "../platform/turns.js"
import { Connection } from "../postgres/connection.js"
import { RangePartitions } from "../raw/range-partitions.js"
import { DeriveProgress } from "../workers/derive-progress.js"
import { LiveDeriver } from "../workers/live-deriver.js"
import { PostgresDerivedStore, tipApplicationName } from "../workers/postgres/postgres-derived-store.js"
import { PostgresRawReader } from "../workers/postgres/postgres-raw-reader.js"
import { RangeDeriver } from "../workers/range-deriver.js"
import { RawCoverageCopier } from "../workers/raw-coverage-copier.js"
import { recordError } from "../workers/record-error.js"
import { SlowWorkers } from "../workers/slow-workers.js"
import { WorkLane } from "../workers/work-lane.js"
import { readWorkPlan } from "../workers/work-plan.js"
import { familyOf } from "./family-of.js"
import { loadWorkers } from "./load-workers.js"
import { ThreadLeases } from "./thread-leases.js"
import { createThreadLogger } from "./thread-logger.js"
import type { FromWorkThread, ToWorkThread, WorkThreadInput } from "./work-messages.js"
import { WorkReporter } from "./work-reporter.js"

const port = parentPort!
const input = workerData as WorkThreadInput
const { chain, settings } = input
const clock = systemClock
const random = systemRandom
const post = (message: FromWorkThread): void => port.postMessage(message)
const logger = createThreadLogger(post, { chain: input.chainName, workThread: input.index })
const family = familyOf(chain)
const registry = await loadWorkers({ family, configFile: input.configFile, chain })
// A thread for the tip, or for history. Prepared statements need a session of one's own.
const store = new PostgresDerivedStore(registry, { named: input.derivesTip && !settings.pooledConnections })
const progress = new DeriveProgress(input.progress)
const applicationName = `tidemark ${input.chainName} work`
const connectRaw = (): Promise<Connection> => Connection.open({ url: input.rawUrl, applicationName })
const connectAppAs = (applicationName: string) => (): Promise<Connection> =>
  Connection.open({ url: input.appUrl, applicationName })

const keeper = new ThreadLeases(post)
const gate = new TipGate({ clock, memory: input.gate })
let paused: string | null = null
const mayClaim = (): boolean => paused === null
const reporter = new WorkReporter({ clock, post })

interface Lane {
  readonly deriver: RangeDeriver
  readonly raw: PostgresRawReader
}
const lanes: Lane[] = []
function makeLane({
  connect,
  policy,
  history,
}: {
  connect: () => Promise<Connection>
  policy: FailurePolicy
  history?: { readonly turns: Turns; readonly gate: TipGate }
}): Lane {
  const raw = new PostgresRawReader({ connect: connectRaw, readBlocks: family.readBlocks })
  const { rangeSize, maxAttempts } = settings
  const deriver = new RangeDeriver({
    runner: new LeasedRangeRunner({
      connect,
      leasesOn: (executor) =>
        new PostgresLeaseStore({ executor, schema: "app", random, policy: { ...policy, maxAttempts } }),
      keeper,
      clock,
      logger,
      holder: input.holder,
      rangeSize,
      recordBackend: !settings.pooledConnections,
      uncharged: "withdrawn",
      onCharged: ({ worker, range, height = range.from, error }, connection) =>
        recordError(connection, { worker, height, error }),
    }),
    partitions: new RangePartitions({ tables: registry.partitionedTables(), rangeSize }),
    raw,
    store,
    registry,
    progress,
    ...history,
    clock,
  })
  const lane = { deriver, raw }
  lanes.push(lane)
  return lane
}
const planOf =
  ({ deriver }: Lane) =>
  async () =>
    readWorkPlan(await deriver.runner.connection(), { registry, runnable: input.runnable })

const services: Service[] = []
const slow = new SlowWorkers({ clock })
let live: LiveDeriver | undefined
if (input.derivesTip) {
  // A block that fails at the tip is tried again after 5, 10, 20 seconds, and then as any range.
  const tip = makeLane({
    connect: connectAppAs(`${tipApplicationName} ${input.chainName}`),
    policy: { ...defaultFailurePolicy, backoffBaseMs: 5_000 },
  })
  live = new LiveDeriver({
    deriver: tip.deriver,
    copier: new RawCoverageCopier({
      raw: { query: async (sql, params) => (await tip.raw.idleConnection()).query(sql, params) },
      app: () => tip.deriver.runner.connection(),
    }),
    readPlan: planOf(tip),
    slow,
    gate,
    clock,
    logger,
    random,
    endBlock: chain.endBlock,
    leaseTtlMs: settings.headLeaseTtlMs,
    pollMs: 200,
    mayClaim,
    onOutcome: (outcome) => reporter.outcome(outcome),
    onDerived: ({ from, to }) => post({ type: "derived", from, to, at: clock.monotonic() }),
  })
  services.push(live)
}
// Lanes fold one after the other. They change the same hot rows: two at once would wait for each other in the database all
// the same, with locks held, and each would take the other's time for its own.
const turns = new Turns()
for (let index = 0; index < input.lanes; index++) {
  const lane = makeLane({
    connect: connectAppAs(applicationName),
    policy: defaultFailurePolicy,
    history: { turns, gate },
  })
  services.push(
    new WorkLane({
      deriver: lane.deriver,
      readPlan: planOf(lane),
      slow,
      clock,
      logger,
      random,
      order: chain.backfill,
      endBlock: chain.endBlock,
      rangeSize: settings.rangeSize,
      leaseTtlMs: settings.leaseTtlMs,
      idleMs: 500,
      mayClaim,
      tipIsLive: () => gate.live,
      onOutcome: (outcome) => reporter.outcome(outcome),
    }),
  )
}

port.on("message", (message: ToWorkThread) => {
  switch (message.type) {
    case "pause":
      paused = message.reason
      break
    case "wake":
      live?.wake()
      break
    case "lost":
      keeper.lose(message)
      break
    case "stop":
      void stop()
  }
})
reporter.start()
for (const service of services) service.start()

async function stop(): Promise<void> {
  paused = "draining"
  // What is under way may finish; after that it is cut off and given back.
  const drained = new AbortController()
  const allIdle = Promise.all(lanes.map(({ deriver }) => deriver.runner.idle())).then(() => drained.abort())
  await Promise.race([allIdle, clock.sleep(settings.drainMs, drained.signal)])
  await Promise.all(services.map((service) => service.stop()))
  await reporter.stop()
  await Promise.allSettled(lanes.flatMap(({ deriver, raw }) => [deriver.runner.close(), raw.close()]))
  post({ type: "stopped" })
  port.close()
}
