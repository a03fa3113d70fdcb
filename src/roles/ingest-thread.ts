// Entry of a worker thread that ingests: a few history lanes, or the head follower alone.

import { defaultFailurePolicy } from "../coordination/after-failure.js"
import type { RollbackIntent } from "../coordination/rollback-ledger.js"
import { systemClock as clock } from "../platform/clock.js"
import { systemRandom as random } from "../platform/random.js"
import { TipGate } from "../platform/tip-gate.js"
import { Connection } from "../postgres/connection.js"
import type { HeadWatch } from "../source/block-source.js"
import { ThreadPort } from "../threads/thread-port.js"
import { composeIngest } from "./compose-ingest.js"
import { familyOf } from "./family-of.js"
import type { FromIngestThread, IngestThreadInput, ToIngestThread } from "./ingest-messages.js"
import { IngestReporter } from "./ingest-reporter.js"

const { input, thread } = await ThreadPort.open<IngestThreadInput, ToIngestThread, FromIngestThread>()
const { chain, chainId, settings, limits } = input
const logger = thread.logger({ chain: input.chainName, thread: input.index })
const family = familyOf(chain)
const gate = new TipGate({ clock, memory: input.gate })

// 32 MB of blocks in flight for the whole thread, shared by its lanes.
const source = family.createSource({ clock, random, logger }, { chain, chainId, limits, bytesInFlight: 32 << 20 })
const reporter = new IngestReporter({ clock, send: (report) => thread.send(report), source })
const applicationName = `tidemark ${input.chainName} ingest`
let watch: HeadWatch | undefined
let lent = false
let rolledBack: ((rollback: RollbackIntent | undefined) => void) | undefined

const { services, follower, headRunners, laneRunners } = composeIngest(
  {
    connect: () => Connection.open({ url: input.rawUrl, applicationName, answerTimeoutMs: settings.dbTimeoutMs }),
    family,
    source,
    createWriter: () => family.createWriter(chain),
    keeper: thread.leases,
    gate,
    clock,
    random,
    logger,
    announced: () => watch?.live ?? false,
    mayClaim: () => thread.mayClaim(),
    mayFillHistory: () => !lent,
    // A rollback changes both databases. The process finishes it, over the connections of its services.
    finishRollback: () =>
      new Promise((resolve) => {
        rolledBack = resolve
        thread.send({ type: "roll-back" })
      }),
    onDead: (block) => reporter.dead(block),
    onHead: (head) => reporter.announced(head),
    onHeadOutcome: (outcome) => {
      reporter.outcome(outcome)
      if (outcome.kind !== "done") return gate.end("head")
      // Before its own part ends: otherwise history would start while the work thread is being woken.
      if (input.derives) gate.begin("tip")
      thread.send({ type: "stored", to: outcome.range.to })
    },
    onHistoryOutcome: (outcome) => reporter.outcome(outcome),
  },
  {
    ...chain,
    ...settings,
    holder: input.holder,
    processId: input.processId,
    recordBackend: !settings.pooledConnections,
    policy: { ...defaultFailurePolicy, maxAttempts: settings.maxAttempts },
    followsHead: input.followsHead,
    lanes: input.lanes,
    order: chain.backfill,
    headPollMs: chain.pollIntervalMs,
    takeOverMs: 1_000,
    historyIdleMs: 1_000,
    // A range takes a few flushes: long enough that claim and commit cost little, short enough to lose at a shutdown.
    targetBytes: 12 << 20,
    flushBytes: 4 << 20,
  },
)
if (follower) {
  reporter.isFollowing = () => follower.following
  watch = family.createHeadWatch({ clock, random, logger }, { chain, chainId })
  watch.start((head) => {
    if (follower.following) gate.begin("head")
    reporter.announced(head)
    thread.send({ type: "announced", height: head.height, at: clock.monotonic() })
    follower.headMoved()
  })
}

thread.run({
  services,
  runners: [...headRunners, ...laneRunners],
  reporter,
  clock,
  drainMs: settings.drainMs,
  receive: (message) => {
    if (message.type === "lend") void lend(message)
    else rolledBack?.(message.rollback)
  },
  onStop: async () => watch?.stop(),
  closing: [source],
})

/** A range in progress is finished first. */
async function lend({ lent: now, loan }: Extract<ToIngestThread, { type: "lend" }>): Promise<void> {
  lent = now
  if (!now) return
  await Promise.all(laneRunners.map((runner) => runner.idle()))
  // The loan may have ended meanwhile.
  if (lent) await Promise.allSettled(laneRunners.map((runner) => runner.close()))
  thread.send({ type: "lent", loan })
}
