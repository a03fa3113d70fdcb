// Runs one plan: the planned faults happen, all of them end, and then the work must be done within a minute. The same
// plan gives the same run, to the last statement.

import { Ambushes } from "./ambushes.js"
import { AwaitedReorgs } from "./awaited-reorgs.js"
import { fenceHolds } from "./checkers/fence-holds.js"
import { headInOrder } from "./checkers/head-in-order.js"
import { sameAsSequential } from "./checkers/i1-same-as-sequential.js"
import { doneWithoutOverlap } from "./checkers/i2-done-without-overlap.js"
import { checkpointIsPrefix } from "./checkers/i3-checkpoint-is-prefix.js"
import { derivedFromStored } from "./checkers/i4-derived-from-stored.js"
import { watermarkFallsByRollback } from "./checkers/i5-watermark-falls-by-rollback.js"
import { balancesAddUp } from "./checkers/i6-balances-add-up.js"
import { deadArePlanted } from "./checkers/i7-dead-are-planted.js"
import { noStaleLease } from "./checkers/i8-no-stale-lease.js"
import { reachTipMs, unfinished } from "./checkers/i9-reaches-the-tip.js"
import { EncounterCounter } from "./encounters.js"
import { runProcesses } from "./hosts.js"
import type { Laboratory } from "./laboratory.js"
import type { ModelConnection } from "./model/model-connection.js"
import { ModelDatabase } from "./model/model-database.js"
import { Operator } from "./operator.js"
import type { Plan } from "./plan.js"
import { scheduleFaults, strike } from "./schedule-faults.js"
import { Scheduler } from "./scheduler.js"
import { SimChain } from "./sim-chain.js"
import { SimHost } from "./sim-host.js"
import { SimRandom } from "./sim-random.js"
import { SimProvider } from "./sim-source.js"
import { storedDefinitions } from "./sim-workers.js"
import { kindOf } from "./statement-kinds.js"
import { type Checker, type Encounters, haveAgreed, type Strikes, type Violation, type World } from "./world.js"

export interface SimulationResult {
  readonly plan: Plan
  readonly violation: Violation | undefined
  readonly encounters: Encounters
  readonly strikes: Strikes
  readonly events: number
  /** Virtual milliseconds from the end of the faults until all work was done. */
  readonly reachedTipMs: number
}

const checkers: readonly Checker[] = [
  sameAsSequential,
  doneWithoutOverlap,
  checkpointIsPrefix,
  derivedFromStored,
  watermarkFallsByRollback,
  balancesAddUp,
  deadArePlanted,
  noStaleLease,
  fenceHolds,
  headInOrder,
]
const commitCheckers = checkers.filter(({ onCommit }) => onCommit)
const sampleCheckers = checkers.filter(({ sample }) => sample)
const sampleMs = 1_000
/** How much longer than planned the faults last at most, until all awaited reorganisations have happened. */
const awaitedMs = 60_000

export async function simulate(
  { rawBook, appBook, store }: Laboratory,
  plan: Plan,
  { trace, atEnd }: { trace?: (line: string) => void; atEnd?: (world: World) => void } = {},
): Promise<SimulationResult> {
  const random = new SimRandom(plan.seed ^ 0x3c6ef372)
  const scheduler = new Scheduler()
  const startedAt = scheduler.now
  const raw = new ModelDatabase({ name: "raw", scheduler, book: rawBook })
  const app = new ModelDatabase({ name: "app", scheduler, book: appBook })
  const chain = new SimChain({ random: random.stream(1), finalityGap: plan.finalityGap, length: plan.blocks })
  const providers = Array.from({ length: plan.providers }, () => new SimProvider(chain))
  const world: World = {
    plan,
    scheduler,
    startedAt,
    raw,
    app,
    chain,
    encounters: {
      ...{ fenceRefused: 0, straddlingRollback: 0, intentFinishedByAnother: 0, outOfOrderFoldUndone: 0 },
      ...{ reopenedWhileRead: 0, rollbacks: 0, rollbacksCancelled: 0, crashes: 0, outages: 0 },
    },
    strikes: { claim: 0, read: 0, write: 0, complete: 0, intent: 0, undo: 0 },
    wentBack: false,
    healed: false,
    healedAt: Number.POSITIVE_INFINITY,
    trace,
    violation: undefined,
    fail: (invariant, message) => {
      world.violation ??= { invariant, message, atMs: Math.round(scheduler.now - startedAt) }
    },
  }
  fillTables(world)
  const reorgs = new AwaitedReorgs(world)
  watch(world, { random: random.stream(2), reorgs, ambushes: () => ambushes })
  const hosts = runProcesses(world, { random, store, providers })
  scheduleFaults(world, { providers, hosts })
  const operatorHost = new SimHost({
    ...{ name: "operator", scheduler, random: random.stream(3), latencyMs: plan.latencyMs },
    ...{ slowPart: () => 0, clockSkewMs: 0 },
  })
  const operator = new Operator(world, operatorHost)
  const ambushes = new Ambushes(world, {
    strike: (ambush, host) => strike(world, { ambush, host, hosts }),
    mend: (range) => operator.mendNow(range),
  })
  const endsAt = startedAt + plan.faultyMs
  await scheduler.run(
    () =>
      world.violation !== undefined ||
      (scheduler.now >= endsAt && (!reorgs.isLeft || scheduler.now >= endsAt + awaitedMs)),
  )
  const healedAt = scheduler.now
  if (!world.violation) {
    world.healed = true
    world.healedAt = healedAt
    for (const provider of providers) provider.heal()
    for (const database of [raw, app]) if (database.isDown) database.start()
    hosts.heal()
    let next = scheduler.now
    let left: string | undefined = "nothing was checked"
    await scheduler.run(() => {
      if (world.violation) return true
      if (scheduler.now < next) return false
      next = scheduler.now + 250
      left = operator.left ?? unfinished(world)
      return left === undefined || scheduler.now > healedAt + reachTipMs
    })
    if (left !== undefined) world.fail("I9", `after ${reachTipMs / 1_000} s: ${left}`)
  }
  for (const checker of checkers) if (!world.violation) checker.atEnd?.(world)
  atEnd?.(world)
  hosts.killAll()
  return {
    plan,
    violation: world.violation,
    encounters: world.encounters,
    strikes: world.strikes,
    events: scheduler.events,
    reachedTipMs: scheduler.now - healedAt,
  }
}

function fillTables({ raw, app, chain }: World): void {
  const genesis_hash = chain.blocks[0]!.hashBytes
  const pinned = { chain_name: "sim", chain_id: "1", genesis_hash, start_height: 0, chain_epoch: 0 }
  for (const database of [raw, app]) {
    database.table(`${database.name}.chain_state`).put(pinned)
    database.table(`${database.name}.coverage`).put({ worker_type: "raw_ingester" })
  }
  for (const { name, definition } of storedDefinitions) {
    app.table("app.workers").put({ name, definition, paused: false })
    app.table("app.coverage").put({ worker_type: name })
  }
}

function watch(
  world: World,
  { random, reorgs, ambushes }: { random: SimRandom; reorgs: AwaitedReorgs; ambushes: () => Ambushes },
): void {
  const { plan, scheduler, trace } = world
  const counter = new EncounterCounter(world)
  for (const database of [world.raw, world.app]) {
    database.onStatement = ({ sql, statement, params, result: { rowCount }, connection }) => {
      const sent = { kind: kindOf(sql, statement), params, rowCount, connection }
      counter.onStatement(sent)
      ambushes().onStatement(sent)
      if (!trace) return
      const text = `${sql.replace(/\s+/g, " ").slice(0, 150)} ${JSON.stringify(params).slice(0, 120)}`
      trace(`${sessionOf(connection)}: ${text} -> ${rowCount}`)
    }
    database.onCommit = (committed) => {
      counter.onCommit(committed)
      ambushes().onCommit(committed)
      reorgs.onCommit(committed)
      if (world.wentBack && haveAgreed(world)) world.wentBack = false
      for (const checker of commitCheckers) if (!world.violation) checker.onCommit!(world, committed)
      trace?.(`${sessionOf(committed.connection)}: committed ${committed.changes.length} rows`)
    }
    database.fateOfCommit = () => {
      if (world.healed || !random.chance(plan.lostPerMille / 1_000)) return "answered"
      return random.chance(0.5) ? "lost" : "undone"
    }
  }
  const sample = (): void => {
    for (const checker of sampleCheckers) if (!world.violation) checker.sample!(world)
    scheduler.after(random.next() * 2 * sampleMs, sample)
  }
  scheduler.after(sampleMs, sample)
}

const sessionOf = ({ host, database, backend }: ModelConnection): string =>
  `${host.name} ${database.name} ${backend.pid}`
