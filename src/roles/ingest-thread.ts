// Entry of a worker thread that ingests: a few history lanes, or the head follower alone. Its leases are kept alive by the process.
// Told to stop, it drains; what it counts it reports to the process.

import { parentPort } from "node:worker_threads"
import { defaultFailurePolicy } from "../coordination/after-failure.js"
import { LeasedRangeRunner } from "../coordination/leased-range-runner.js"
import { PostgresLeaseStore } from "../coordination/postgres/postgres-lease-store.js"
import { type Clock, systemClock } from "../platform/clock.js"
import { systemRandom } from "../platform/random.js"
import type { Service } from "../platform/service.js"
import { TipGate } from "../platform/tip-gate.js"
import { Turns } from "../platform/turns.js"
import { Connection } from "../postgres/connection.js"
import { HeadFollower } from "../raw/head-follower.js"
import { HistoryLane } from "../raw/history-lane.js"
import { RangeIngester } from "../raw/range-ingester.js"
import { RangePartitions } from "../raw/range-partitions.js"
import { ReorgWatch } from "../rollback/reorg-watch.js"
import type { RollbackIntent } from "../rollback/rollback-intent.js"
import type { HeadWatch } from "../source/block-source.js"
import { familyOf } from "./family-of.js"
import type { FromThread, IngestThreadInput, ToThread } from "./ingest-messages.js"
import { ThreadLeases } from "./thread-leases.js"
import { createThreadLogger } from "./thread-logger.js"
import { ThreadReporter } from "./thread-reporter.js"

const port = parentPort!
// It is started before the chain is known; what it is to do comes when all of the above was loaded, or is waited for.
const input = await new Promise<IngestThreadInput>((resolve) => port.once("message", resolve))
const { chain, settings } = input
const clock = systemClock
const random = systemRandom
const post = (message: FromThread): void => port.postMessage(message)
const logger = createThreadLogger(post, { chain: input.chainName, thread: input.index })

const family = familyOf(chain)
// 32 MB of blocks in flight for the whole thread, shared by its lanes.
const source = family.createSource(
  { clock, random, logger },
  { chain, chainId: input.chainId, limits: input.limits, bytesInFlight: 32 << 20 },
)
// A range comes to a few flushes: long enough that claim and commit cost little, short enough to be given back.
const targetBytes = 12 << 20
const flushBytes = 4 << 20

const applicationName = `tidemark ${input.chainName} ingest`
const connect = (): Promise<Connection> => Connection.open({ url: input.rawUrl, applicationName })
const leases = new ThreadLeases(post)
const gate = new TipGate({ clock, memory: input.gate })
// Between two blocks history lets a new one go first.
const historyClock: Clock = {
  ...clock,
  turn: async () => {
    await clock.turn()
    await gate.pass()
  },
}

const reporter = new ThreadReporter({ clock, post, source })
let paused: string | null = null
let lent = false
const mayClaim = (): boolean => paused === null

const ingesters: RangeIngester[] = []
function makeIngester({ clock, turns }: { clock: Clock; turns?: Turns }): RangeIngester {
  const { rangeSize } = settings
  const policy = { ...defaultFailurePolicy, maxAttempts: settings.maxAttempts }
  const ingester = new RangeIngester({
    runner: new LeasedRangeRunner({
      connect,
      leasesOn: (executor) => new PostgresLeaseStore({ executor, schema: "raw", random, policy }),
      keeper: leases,
      clock,
      logger,
      holder: input.holder,
      rangeSize,
      recordBackend: !settings.pooledConnections,
      uncharged: "noted",
    }),
    source,
    writer: family.createWriter(chain),
    partitions: new RangePartitions({ tables: family.partitionedTables, rangeSize }),
    clock,
    turns,
    flushBytes,
    deferIndexes: chain.deferIndexes,
  })
  ingesters.push(ingester)
  return ingester
}

// A rollback changes both databases. The process finishes it, over connections that it has anyway.
let rolledBack: ((rollback: RollbackIntent | undefined) => void) | undefined
const finishRollback = (): Promise<RollbackIntent | undefined> =>
  new Promise((resolve) => {
    rolledBack = resolve
    post({ type: "roll-back" })
  })

const services: Service[] = []
let watch: HeadWatch | undefined
if (input.followsHead) {
  const ingester = makeIngester({ clock })
  const follower = new HeadFollower({
    connect,
    ingester,
    source,
    clock,
    logger,
    random,
    holder: input.holder,
    endBlock: chain.endBlock,
    finalityDepth: chain.finalityDepth,
    leaseTtlMs: settings.headLeaseTtlMs,
    pollMs: chain.pollIntervalMs,
    takeOverMs: 1_000,
    announced: () => watch?.live ?? false,
    mayClaim,
    onOutcome: (outcome) => {
      reporter.outcome(outcome)
      if (outcome.kind === "done") {
        // Before its own part ends: history would slip in while the thread that derives it is being woken.
        if (input.derives) gate.begin("tip")
        post({ type: "stored", to: outcome.range.to })
      } else gate.end("head")
    },
    onHead: (head) => reporter.head(head),
    reorgs: new ReorgWatch({
      // Between two ranges of the follower its connection is free.
      raw: { query: async (sql, params) => (await ingester.runner.connection()).query(sql, params) },
      finish: finishRollback,
      source,
      clock,
      logger,
      random,
      maxDepth: chain.maxReorgDepth,
      confirmMs: chain.reorgConfirmMs,
    }),
  })
  reporter.isFollowing = () => follower.following
  services.push(follower)
  watch = family.createHeadWatch({ clock, random, logger }, { chain, chainId: input.chainId })
  watch.start((head) => {
    if (follower.following) gate.begin("head")
    reporter.announced(head)
    post({ type: "announced", height: head.height, at: clock.monotonic() })
    follower.headMoved()
  })
}
// Lanes copy one after the other: two at once cost Postgres half as much again for the same rows, since they extend the same
// tables and fill the same pages of the same indexes. The other lane encodes meanwhile.
const turns = new Turns()
const laneIngesters: RangeIngester[] = []
for (let lane = 0; lane < input.lanes; lane++) {
  const ingester = makeIngester({ clock: historyClock, turns })
  laneIngesters.push(ingester)
  services.push(
    new HistoryLane({
      ingester,
      clock,
      logger,
      random,
      order: chain.backfill,
      endBlock: chain.endBlock,
      rangeSize: settings.rangeSize,
      leaseTtlMs: settings.leaseTtlMs,
      targetBytes,
      idleMs: 1_000,
      mayClaim: () => mayClaim() && !lent,
      onOutcome: (outcome) => reporter.outcome(outcome),
    }),
  )
}

port.on("message", (message: ToThread) => {
  if (message.type === "pause") paused = message.reason
  else if (message.type === "lend") void lend(message.lent)
  else if (message.type === "rolled-back") rolledBack?.(message.rollback)
  else if (message.type === "lost") leases.lose(message)
  else void stop()
})
reporter.start()
for (const service of services) service.start()

/** A range that is under way is finished first. */
async function lend(now: boolean): Promise<void> {
  lent = now
  if (!now) return
  await Promise.all(laneIngesters.map((ingester) => ingester.runner.idle()))
  // Meanwhile they may have been given back.
  if (lent) await Promise.allSettled(laneIngesters.map((ingester) => ingester.runner.close()))
  post({ type: "lent" })
}

async function stop(): Promise<void> {
  paused = "draining"
  await watch?.stop()
  // What is under way may finish; after that it is cut off and given back.
  const drained = new AbortController()
  const allIdle = Promise.all(ingesters.map((ingester) => ingester.runner.idle())).then(() => drained.abort())
  await Promise.race([allIdle, clock.sleep(settings.drainMs, drained.signal)])
  await Promise.all(services.map((service) => service.stop()))
  await reporter.stop()
  await Promise.allSettled([...ingesters.map((ingester) => ingester.runner.close()), source.close()])
  post({ type: "stopped" })
  port.close()
}
