// Entry of a worker thread that derives: the tip alone, or a few lanes for history. The process terminates it when an
// extract does not return.

import { defaultFailurePolicy } from "../coordination/after-failure.js"
import { systemClock as clock } from "../platform/clock.js"
import { systemRandom as random } from "../platform/random.js"
import { TipGate } from "../platform/tip-gate.js"
import { Connection } from "../postgres/connection.js"
import { ThreadPort } from "../threads/thread-port.js"
import { DeriveProgress } from "../workers/derive-progress.js"
import { PostgresDerivedStore, tipApplicationName } from "../workers/postgres/postgres-derived-store.js"
import { PostgresRawReader } from "../workers/postgres/postgres-raw-reader.js"
import { appPartitions } from "./app-partitions.js"
import { composeWork } from "./compose-work.js"
import { familyOf } from "./family-of.js"
import { loadWorkers } from "./load-workers.js"
import type { FromWorkThread, ToWorkThread, WorkThreadInput } from "./work-messages.js"
import { WorkReporter } from "./work-reporter.js"

const { input, thread } = await ThreadPort.open<WorkThreadInput, ToWorkThread, FromWorkThread>()
const { chain, chainName, settings } = input
const reporter = new WorkReporter({ clock, send: (report) => thread.send(report) })
const family = familyOf(chain)
const registry = await loadWorkers({ family, configFile: input.configFile, chain })
const connect =
  (url: string, applicationName = `tidemark ${chainName} work`) =>
  (): Promise<Connection> =>
    Connection.open({ url, applicationName, answerTimeoutMs: settings.dbTimeoutMs })

const { services, live, runners, readers } = composeWork(
  {
    connect: connect(input.appUrl),
    connectTip: connect(input.appUrl, `${tipApplicationName} ${chainName}`),
    createReader: () => new PostgresRawReader({ connect: connect(input.rawUrl), readBlocks: family.readBlocks }),
    // Prepared statements need a session that no pooler shares.
    store: new PostgresDerivedStore(registry, { named: input.derivesTip && !settings.pooledConnections }),
    registry,
    tables: appPartitions({ registry, family }, chain.appPartitionBlocks),
    builtIn: new Set(family.workers.map(({ name }) => name)),
    progress: new DeriveProgress(input.progress),
    keeper: thread.leases,
    gate: new TipGate({ clock, memory: input.gate }),
    clock,
    random,
    logger: thread.logger({ chain: chainName, workThread: input.index }),
    mayClaim: () => thread.mayClaim(),
    onDead: (block) => reporter.dead(block),
    onOutcome: (outcome) => reporter.outcome(outcome),
    onDerived: ({ from, to }) => thread.send({ type: "derived", from, to, at: clock.monotonic() }),
  },
  {
    ...settings,
    holder: input.holder,
    recordBackend: !settings.pooledConnections,
    policy: { ...defaultFailurePolicy, maxAttempts: settings.maxAttempts },
    derivesTip: input.derivesTip,
    lanes: input.lanes,
    runnable: input.runnable,
    order: chain.backfill,
    endBlock: chain.endBlock,
    livePollMs: 200,
    workIdleMs: 500,
  },
)

thread.run({
  services,
  runners,
  reporter,
  clock,
  drainMs: settings.drainMs,
  receive: () => live?.wake(),
  closing: readers,
})
