// Starts one chain in this process: opens it, then adds the services of each role, then those of every process.

import type { Worker } from "node:worker_threads"
import type { ChainView } from "../api/chain-view.js"
import { defaultFailurePolicy } from "../coordination/after-failure.js"
import { postgresRateShares } from "../coordination/postgres/postgres-rate-shares.js"
import { rawIngester } from "../coordination/raw-ingester.js"
import type { Service } from "../platform/service.js"
import { TipGate } from "../platform/tip-gate.js"
import { Connection, type ConnectionOptions } from "../postgres/connection.js"
import type { Database } from "../postgres/database.js"
import { RollbackWatch } from "../rollback/rollback-watch.js"
import { CallTally } from "../source/call-tally.js"
import type { SharedLimitHandle } from "../source/shared-limit.js"
import type { ChainStatus } from "../status/chain-status.js"
import { AnnouncedHeads } from "./announced-heads.js"
import { BorrowedConnections } from "./borrowed-connections.js"
import type { ChainDatabases } from "./chain-databases.js"
import { composeCoordination } from "./compose-coordination.js"
import { heldConnections, planLanes } from "./connection-budget.js"
import { IngestActivity } from "./ingest-activity.js"
import { spawnIngestThread } from "./ingest-threads.js"
import { keepRateShare } from "./keep-rate-share.js"
import { loadWorkers } from "./load-workers.js"
import { rateOf } from "./node-limits.js"
import { type OpenChain, openChain, type StartChainDeps, type StartChainOptions } from "./open-chain.js"
import { openRenewals } from "./open-renewals.js"
import { rollbackApart } from "./rollback-apart.js"
import { type Ingest, prepareIngest } from "./start-ingest.js"
import { prepareMaintain } from "./start-maintain.js"
import { type PrepareWorkOptions, prepareWork, type Work } from "./start-work.js"
import { watchChain } from "./watch-chain.js"

export interface RunningChain extends ChainView {
  readonly database: Database
  readonly app: Database
  readonly databases: ChainDatabases
  /** Of its nodes, by RPC URL. */
  readonly limits: readonly SharedLimitHandle[]
  /** Workers this process derives. */
  readonly derived: readonly string[]
  /** As the stall doctor last read it. */
  lastStatus(): ChainStatus | undefined
  pause(reason: string | null): void
  stop(): Promise<void>
}

const finishIntervalMs = 1_000
const copyIntervalMs = 200
const noDatabase = "waiting for the database"

export async function startChain(deps: StartChainDeps, options: StartChainOptions): Promise<RunningChain> {
  const { roles, settings } = options
  // The first is for the head.
  const spawned = roles.includes("ingest")
    ? Array.from({ length: settings.threads + 1 }, (_, index) =>
        spawnIngestThread({ followsHead: index === 0, settings }),
      )
    : []
  const undo: (() => Promise<unknown>)[] = spawned.map((thread) => () => thread.terminate())
  try {
    return await startRoles(await openChain(deps, options), { spawned, undo })
  } catch (error) {
    for (const step of undo.reverse()) await step()
    throw error
  }
}

async function startRoles(
  open: OpenChain,
  { spawned, undo }: { readonly spawned: readonly Worker[]; readonly undo: (() => Promise<unknown>)[] },
): Promise<RunningChain> {
  const { chain, settings, roles, raw, app, metrics, name, patiently } = open
  const ingests = roles.includes("ingest")
  const watch = new RollbackWatch({ ...open, onFinished: (finished) => metrics.addRollback(name, finished) })
  // Until there are lanes that hold some, connections need not be borrowed.
  let connect = (wanted: ConnectionOptions): Promise<Connection> => Connection.open(wanted)
  const rolling = { ...open, watch, apart: rollbackApart(open, (wanted) => connect(wanted)) }
  let work: Work | undefined
  undo.push(async () => {
    await raw.end()
    await app.end()
  })
  await patiently(() => open.ledgers.raw.register(raw, rawIngester), noDatabase)
  const coordination =
    ingests || roles.includes("work")
      ? composeCoordination(rolling, {
          ingests,
          policy: { ...defaultFailurePolicy, maxAttempts: settings.maxAttempts },
          reapIntervalMs: settings.reapIntervalMs,
          finishIntervalMs,
          copyIntervalMs,
          onReaped: (outcome) => metrics.addReaped(name, outcome),
          onDead: ({ worker }) => metrics.addDead(name, { [worker]: 1 }),
          // Claims of the tip go by app's copy of raw's coverage.
          onCopied: () => work?.threads.send({ type: "wake" }),
        })
      : undefined
  undo.push(...(coordination?.services ?? []).map((service) => () => service.stop()))
  await coordination?.begin()
  const asksNodes = ingests || roles.includes("work") || roles.includes("serve")
  const shares = postgresRateShares(raw)
  const rateShare =
    chain.rpcMaxRps > 0 && asksNodes ? keepRateShare({ ...open, limit: chain.rpcMaxRps, shares }) : undefined
  if (rateShare) await patiently(() => rateShare.runOnce(), noDatabase)
  rateShare?.start()
  undo.push(async () => rateShare?.stop())
  const registry = await loadWorkers(open)
  const derives = roles.includes("work") && registry.workers.length > 0
  const lanes = planLanes({ ...settings, ...chain, roles, derives, oneDatabase: app === raw })
  const connections = heldConnections(lanes, { ...settings, roles, oneDatabase: app === raw })
  const renewals = openRenewals(open)
  undo.push(() => renewals.end())
  const announced = new AnnouncedHeads()
  const activity = new IngestActivity()
  const calls = new CallTally(open)
  const gate = new TipGate(open).memory
  let ingest: Ingest | undefined
  const borrowed = new BorrowedConnections({
    spare: lanes.spare,
    lanes: ingests ? settings.threads * lanes.ingestLanes : 0,
    lend: async (lent) => ingest?.lend(lent),
  })
  connect = async (wanted) => (await borrowed.open([wanted]))[0]!
  if (coordination && derives) {
    const options: PrepareWorkOptions = {
      registry,
      leases: coordination.appLeases,
      lanes: lanes.workLanes,
      ...{ borrowed, renewals, gate },
      onCalls: (counts) => {
        calls.add(counts)
        metrics.addCalls(name, counts)
      },
      onDerived: (range) => {
        for (const seconds of announced.delays(range)) metrics.deriveDelay.observe({ chain: name }, seconds)
      },
    }
    work = await patiently(() => prepareWork(open, options), noDatabase)
  }
  if (coordination && ingests) {
    ingest = prepareIngest(rolling, {
      leases: coordination.rawLeases,
      lanes: lanes.ingestLanes,
      onReport: (thread, report) => {
        activity.add(thread, report)
        calls.add(report.rpc)
        metrics.addIngest(name, report)
      },
      onAnnounced: (head) => announced.add(head),
      onStored: () => coordination.copier.wake(),
      ...{ borrowed, renewals, spawned, gate, derives },
    })
  }
  const { status, doctor, reporter } = watchChain(open, () => ({
    ...activity.state(process.memoryUsage.rss()),
    idleWorkers: work?.idle ?? [],
    rollback: watch.state(),
    calls: calls.calls(),
    rate: rateOf(open),
    connections,
  }))
  // Before the doctor runs: otherwise it would report that no process indexes the chain.
  await patiently(() => reporter.runOnce(), noDatabase)
  const services: Service[] = [
    ...(coordination?.services ?? []),
    ...(ingest?.services ?? []),
    ...(work?.services ?? []),
    ...(roles.includes("maintain") ? prepareMaintain(open, borrowed) : []),
    ...[reporter, doctor],
  ]
  for (const service of services) service.start()
  return {
    name,
    database: raw,
    app,
    databases: open.databases,
    limits: open.limits,
    derived: work?.runnable ?? [],
    status,
    diagnosis: () => doctor.diagnosis(),
    lastStatus: () => doctor.lastStatus(),
    pause: (reason) => {
      activity.paused = reason
      ingest?.threads.pause(reason)
      work?.threads.pause(reason)
    },
    stop: async () => {
      await Promise.all(services.map((service) => service.stop()))
      // Once nothing of this process asks a node any more.
      await rateShare?.stop()
      await renewals.end()
      await raw.end()
      await app.end()
    },
  }
}
