// Entry of a worker thread that ingests: a few history lanes, in one of the threads the head follower, and the renewal
// of their leases over a connection of its own. Told to stop, it drains; what it counts it reports to the process.

import { parentPort, workerData } from "node:worker_threads"
import { defaultFailurePolicy } from "../coordination/after-failure.js"
import { LeaseRenewer } from "../coordination/lease-renewer.js"
import { PostgresLeaseStore } from "../coordination/postgres/postgres-lease-store.js"
import { systemClock } from "../platform/clock.js"
import { systemRandom } from "../platform/random.js"
import type { Service } from "../platform/service.js"
import { Connection } from "../postgres/connection.js"
import { Database } from "../postgres/database.js"
import { HeadFollower } from "../raw/head-follower.js"
import { HistoryLane } from "../raw/history-lane.js"
import { RangeIngester } from "../raw/range-ingester.js"
import { ReorgWatch } from "../rollback/reorg-watch.js"
import type { HeadWatch } from "../source/block-source.js"
import { createHeadWatch } from "../source/evm/head-watch.js"
import { createChainSource } from "./create-chain-source.js"
import type { FromThread, IngestThreadInput, ToThread } from "./ingest-messages.js"
import { createThreadLogger } from "./thread-logger.js"
import { ThreadReporter } from "./thread-reporter.js"

const port = parentPort!
const input = workerData as IngestThreadInput
const { chain, settings } = input
const clock = systemClock
const random = systemRandom
const post = (message: FromThread): void => port.postMessage(message)
const logger = createThreadLogger(post, { chain: input.chainName, thread: input.index })

// 32 MB of blocks in flight for the whole thread, shared by its lanes.
const source = createChainSource(
  { clock, random, logger },
  { chain, chainId: input.chainId, limits: input.limits, bytesInFlight: 32 << 20 },
)
// A range comes to a few flushes: long enough that claim and commit cost little, short enough to be given back.
const targetBytes = 12 << 20
const flushBytes = 4 << 20

const applicationName = `tidemark ${input.chainName} ingest`
const connect = (): Promise<Connection> => Connection.open({ url: input.rawUrl, applicationName })
const renewals = new Database({
  url: input.rawUrl,
  applicationName: `${applicationName} renewal`,
  maxConnections: 1,
})
const renewer = new LeaseRenewer({
  renew: (tokens) => renewalStore.renew(tokens),
  clock,
  logger,
  shortestTtlMs: Math.min(settings.leaseTtlMs, settings.headLeaseTtlMs),
})
const renewalStore = new PostgresLeaseStore({ executor: renewals, schema: "raw", random })

const reporter = new ThreadReporter({ clock, post, source })
let paused: string | null = null
const mayClaim = (): boolean => paused === null

const ingesters: RangeIngester[] = []
function makeIngester(): RangeIngester {
  const ingester = new RangeIngester(
    {
      connect,
      source,
      renewer,
      clock,
      random,
      logger,
      policy: { ...defaultFailurePolicy, maxAttempts: settings.maxAttempts },
    },
    {
      holder: input.holder,
      rangeSize: settings.rangeSize,
      flushBytes,
      denormalizeEvents: chain.denormalizeEvents,
      deferIndexes: chain.deferIndexes,
      recordBackend: !settings.pooledConnections,
    },
  )
  ingesters.push(ingester)
  return ingester
}

// Opened when a reorganisation is looked into, and closed again soon after.
const reorgDatabases = [input.rawUrl, input.appUrl].map(
  (url) =>
    new Database({
      url,
      applicationName: `${applicationName} rollback`,
      maxConnections: 1,
      idleTimeoutMs: 2_000,
    }),
)

const services: Service[] = []
let watch: HeadWatch | undefined
if (input.followsHead) {
  const follower = new HeadFollower({
    connect,
    ingester: makeIngester(),
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
      if (outcome.kind === "done") post({ type: "stored", to: outcome.lease.range.to })
    },
    onHead: (head) => reporter.head(head),
    reorgs: new ReorgWatch({
      raw: reorgDatabases[0]!,
      app: reorgDatabases[1]!,
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
  watch = createHeadWatch({ clock, random, logger }, { wsUrls: chain.wsUrls, expectedChainId: input.chainId })
  watch.start((head) => {
    reporter.announced(head)
    post({ type: "announced", height: head.height, at: clock.monotonic() })
    follower.headMoved()
  })
}
for (let lane = 0; lane < input.lanes; lane++) {
  services.push(
    new HistoryLane({
      ingester: makeIngester(),
      clock,
      logger,
      random,
      order: chain.backfill,
      endBlock: chain.endBlock,
      rangeSize: settings.rangeSize,
      leaseTtlMs: settings.leaseTtlMs,
      targetBytes,
      idleMs: 1_000,
      mayClaim,
      onOutcome: (outcome) => reporter.outcome(outcome),
    }),
  )
}

port.on("message", (message: ToThread) => {
  if (message.type === "pause") paused = message.reason
  else void stop()
})
renewer.start()
reporter.start()
for (const service of services) service.start()

async function stop(): Promise<void> {
  paused = "draining"
  await watch?.stop()
  // What is under way may finish; after that it is cut off and given back.
  const drained = new AbortController()
  const allIdle = Promise.all(ingesters.map((ingester) => ingester.idle())).then(() => drained.abort())
  await Promise.race([allIdle, clock.sleep(settings.drainMs, drained.signal)])
  await Promise.all(services.map((service) => service.stop()))
  await renewer.stop()
  await reporter.stop()
  await Promise.allSettled([
    ...ingesters.map((ingester) => ingester.close()),
    renewals.end(),
    source.close(),
    ...reorgDatabases.map((database) => database.end()),
  ])
  post({ type: "stopped" })
  port.close()
}
