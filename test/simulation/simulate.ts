// Runs one plan: everything goes wrong as planned, then everything heals, and then the work has to be done within a minute. The same
// plan gives the same run, to the last statement.

import type { Logger } from "../../src/platform/logger.js"
import { planFolds } from "../../src/workers/fold-plans.js"
import { Ambushes } from "./ambushes.js"
import { fenceHolds } from "./checkers/fence-holds.js"
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
import { ModelDatabase, StatementBook } from "./model/model-database.js"
import { ModelFold } from "./model/model-fold.js"
import { appShapes, eventShape, rawShapes, stateShape } from "./model/model-schema.js"
import { Operator } from "./operator.js"
import type { Ambush, Plan } from "./plan.js"
import { Scheduler } from "./scheduler.js"
import { SimChain } from "./sim-chain.js"
import { SimHost } from "./sim-host.js"
import { startProcess } from "./sim-process.js"
import { SimRandom } from "./sim-random.js"
import { SimProvider, SimSource } from "./sim-source.js"
import { SimDerivedStore } from "./sim-stores.js"
import { storedDefinitions, storedRegistry } from "./sim-workers.js"
import { kindOf } from "./statement-kinds.js"
import type { Checker, Encounters, Violation, World } from "./world.js"

export interface SimulationResult {
  readonly plan: Plan
  readonly violation: Violation | undefined
  readonly encounters: Encounters
  readonly events: number
  /** How long the work took after everything had healed, in virtual milliseconds. */
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
]
const commitCheckers = checkers.filter(({ onCommit }) => onCommit)
const sampleCheckers = checkers.filter(({ sample }) => sample)
const sampleMs = 1_000
const forgottenBlocks = 8

/** What all seeds share: statements are compiled once. */
export interface Laboratory {
  readonly rawBook: StatementBook
  readonly appBook: StatementBook
  readonly store: SimDerivedStore
}

export async function openLaboratory(): Promise<Laboratory> {
  const registry = await storedRegistry()
  // Nothing is observed in a simulation.
  const nothing = ["update app.token_metadata", "update app.contract_code"].map((begins) => ({
    begins,
    run: () => ({ rows: [], rowCount: 0 }),
  }))
  const allThere = {
    begins: "select namespace.nspname",
    run: ({ params }: { params: readonly unknown[] }) => {
      const [schemas, names] = params as [string[], string[]]
      const rows = schemas.map((schema, at) => ({ schema, name: names[at] }))
      return { rows, rowCount: rows.length }
    },
  }
  const errors = { begins: "insert into app.indexing_errors", run: () => ({ rows: [], rowCount: 1 }) }
  const rawBook = new StatementBook(rawShapes, [allThere])
  const appBook = new StatementBook(
    [
      ...appShapes,
      ...["sim_transfers", "sim_moves"].map(eventShape),
      ...["sim_holdings", "sim_totals"].map(stateShape),
    ],
    [...nothing, allThere, errors],
  )
  const folds = new Map(
    [...planFolds(registry)].map(([worker, plans]) => [worker, plans.map((plan) => new ModelFold(plan))]),
  )
  for (const fold of [...folds.values()].flat()) fold.defineIn(appBook)
  return { rawBook, appBook, store: new SimDerivedStore(folds) }
}

export async function simulate(
  { rawBook, appBook, store }: Laboratory,
  plan: Plan,
  { trace }: { trace?: (line: string) => void } = {},
): Promise<SimulationResult> {
  // Nobody looks at them, and they are a tenth of what an error costs.
  Error.stackTraceLimit = trace ? 10 : 0
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
      fenceRefused: 0,
      straddlingRollback: 0,
      intentFinishedByAnother: 0,
      outOfOrderFoldUndone: 0,
      givenBackWhileRead: 0,
    },
    wentBack: false,
    healed: false,
    violation: undefined,
    fail: (invariant, message) => {
      world.violation ??= { invariant, message, atMs: Math.round(scheduler.now - startedAt) }
    },
  }
  fillTables(world)
  watch(world, { random: random.stream(2), trace, ambushes: () => ambushes })
  const hosts = runProcesses(world, { random, store, providers, trace })
  scheduleFaults(world, { providers, hosts, trace })
  const operator = new Operator(world, {
    host: new SimHost({
      name: "operator",
      scheduler,
      random: random.stream(3),
      latencyMs: plan.latencyMs,
      slowPart: () => 0,
      clockSkewMs: 0,
    }),
    trace,
  })
  const ambushes = new Ambushes(world, {
    strike: (ambush, host) => strike(world, { ambush, host, hosts, trace }),
    mend: (range) => operator.mendNow(range),
  })
  await scheduler.run(() => world.violation !== undefined || scheduler.now >= startedAt + plan.faultyMs)
  const healedAt = scheduler.now
  if (!world.violation) {
    world.healed = true
    for (const provider of providers) provider.heal()
    for (const database of [raw, app]) if (database.away) database.start()
    hosts.heal()
    let next = scheduler.now
    let left: string | undefined = "nothing was looked at"
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
  hosts.killAll()
  return {
    plan,
    violation: world.violation,
    encounters: world.encounters,
    events: scheduler.events,
    reachedTipMs: scheduler.now - healedAt,
  }
}

function fillTables({ raw, app, chain }: World): void {
  const pinned = {
    chain_name: "sim",
    chain_id: "1",
    genesis_hash: chain.blocks[0]!.hashBytes,
    start_height: 0,
    chain_epoch: 0,
  }
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
  {
    random,
    trace,
    ambushes,
  }: { random: SimRandom; trace: ((line: string) => void) | undefined; ambushes: () => Ambushes },
): void {
  const { plan, scheduler } = world
  const counter = new EncounterCounter(world)
  for (const database of [world.raw, world.app]) {
    database.onStatement = ({ sql, statement, params, result: { rowCount }, connection }) => {
      const sent = { kind: kindOf(sql, statement), params, rowCount, connection }
      counter.onStatement(sent)
      ambushes().onStatement(sent)
      trace?.(
        `${connection.host.name} ${database.name} ${connection.backend.pid}: ${sql.replace(/\s+/g, " ").slice(0, 150)} ${JSON.stringify(params).slice(0, 120)} -> ${rowCount}`,
      )
    }
    database.onCommit = (committed) => {
      counter.onCommit(committed)
      ambushes().onCommit(committed)
      for (const checker of commitCheckers) if (!world.violation) checker.onCommit!(world, committed)
      trace?.(
        `${committed.connection.host.name} ${database.name} ${committed.connection.backend.pid}: committed ${committed.changes.length} rows`,
      )
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

function strike(
  { scheduler, startedAt }: World,
  {
    ambush: { on, act, ms },
    host,
    hosts,
    trace,
  }: { ambush: Ambush; host: SimHost; hosts: Hosts; trace: ((line: string) => void) | undefined },
): void {
  trace?.(`--- ${Math.round(scheduler.now - startedAt)} ms: ${act} ${host.name} at its ${on}`)
  if (act === "kill" || act === "silence")
    hosts.kill(hosts.slotOf(host), { silent: act === "silence", backAfterMs: ms })
  else if (act === "stall") host.stall(ms)
  else {
    host.pause()
    scheduler.after(ms, () => host.resume({ frozen: act === "freeze" }))
  }
}

interface Hosts {
  at(slot: number): SimHost
  slotOf(host: SimHost): number
  kill(slot: number, options: { silent: boolean; backAfterMs: number }): void
  killEvery(options: { backAfterMs: number }): void
  heal(): void
  killAll(): void
}

function runProcesses(
  world: World,
  {
    random,
    store,
    providers,
    trace,
  }: {
    random: SimRandom
    store: SimDerivedStore
    providers: readonly SimProvider[]
    trace: ((line: string) => void) | undefined
  },
): Hosts {
  const { plan, scheduler, raw, app } = world
  const current: SimHost[] = []
  const generations: number[] = []
  const logger = bugLogger(world, trace)
  const start = (slot: number): void => {
    const generation = (generations[slot] ?? -1) + 1
    generations[slot] = generation
    const host = new SimHost({
      name: `p${slot}.${generation}`,
      scheduler,
      random: random.stream(100 + slot * 50 + generation),
      latencyMs: plan.latencyMs,
      slowPart: () => (world.healed ? 0 : plan.slowPerMille / 1_000),
      clockSkewMs: plan.clockSkewMs,
    })
    current[slot] = host
    const source = new SimSource({
      host,
      providers,
      errorPart: () => (world.healed ? 0 : plan.nodeErrorPerMille / 1_000),
    })
    startProcess({ host, raw, app, source, store, logger, plan }).catch((error: unknown) =>
      world.fail("BUG", `a process could not start: ${String(error)}`),
    )
  }
  for (let slot = 0; slot < plan.processes; slot++) scheduler.after(random.next() * 300, () => start(slot))
  const kill = (slot: number, { silent, backAfterMs }: { silent: boolean; backAfterMs: number }): void => {
    const host = current[slot]
    if (!host?.alive) return
    host.kill({ silent })
    scheduler.after(backAfterMs, () => {
      if (current[slot] === host) start(slot)
    })
  }
  return {
    at: (slot) => current[slot]!,
    slotOf: (host) => current.indexOf(host),
    kill,
    killEvery: ({ backAfterMs }) => {
      for (const slot of current.keys()) kill(slot, { silent: false, backAfterMs })
    },
    heal: () => {
      for (const [slot, host] of current.entries()) {
        host.resume({ frozen: false })
        if (!host.alive) start(slot)
      }
    },
    killAll: () => {
      for (const host of Object.values(current)) host.kill({ silent: true })
    },
  }
}

/** A plain Error of the product is a bug, whoever swallows it. */
function bugLogger(world: World, trace: ((line: string) => void) | undefined): Logger {
  const note = (fields: Readonly<Record<string, unknown>>, message: string): void => {
    if (fields["code"] === "BUG") world.fail("BUG", `${message}: ${String(fields["error"])}`)
    trace?.(`log: ${message} ${JSON.stringify(fields)}`)
  }
  const logger: Logger = {
    debug: note,
    info: note,
    warn: note,
    error: note,
    fatal: note,
    child: () => logger,
  }
  return logger
}

function scheduleFaults(
  world: World,
  {
    providers,
    hosts,
    trace,
  }: { providers: readonly SimProvider[]; hosts: Hosts; trace: ((line: string) => void) | undefined },
): void {
  const { plan, scheduler, chain } = world
  const at = (ms: number, what: string, run: () => void): void => {
    scheduler.after(ms, () => {
      if (world.healed) return
      trace?.(`--- ${Math.round(scheduler.now - world.startedAt)} ms: ${what}`)
      run()
    })
  }
  const poisons = [...plan.poisons].sort((a, b) => a.at - b.at)
  const grow = (): void => {
    if (world.healed) return
    const due = poisons[0] && poisons[0].at <= scheduler.now - world.startedAt ? poisons.shift() : undefined
    chain.extend(1, due?.worker)
    scheduler.after(plan.blockMs, grow)
  }
  scheduler.after(plan.blockMs, grow)
  for (const crash of plan.crashes)
    at(crash.at, `crash of p${crash.process}`, () => hosts.kill(crash.process, crash))
  for (const { at: when, process, ms, frozen } of plan.pauses) {
    at(when, `p${process} stops for ${ms} ms`, () => {
      const host = hosts.at(process)
      host?.pause()
      scheduler.after(ms, () => host?.resume({ frozen }))
    })
  }
  for (const { at: when, of, ms } of plan.outages) {
    at(when, `${of} is away for ${ms} ms`, () => {
      const database = world[of]
      database.stop()
      scheduler.after(ms, () => {
        if (database.away) database.start()
      })
    })
  }
  for (const { at: when, depth, grow: more } of plan.reorgs)
    at(when, `reorganisation of ${depth}`, () => void chain.reorganize(depth, depth + more))
  for (const { at: when, provider, kind, ms } of plan.providerFaults) {
    at(when, `provider ${provider} ${kind} for ${ms} ms`, () => {
      const one = providers[provider]!
      if (kind === "stuck") one.stick()
      else if (kind === "away") one.away = true
      else one.lagBlocks = 3
      scheduler.after(ms, () => one.heal())
    })
  }
  for (const { of, backupAt, at: when, stopped } of plan.restores) {
    const database = world[of]
    at(backupAt, `backup of ${of}`, () => {
      const backup = database.backup()
      at(when - backupAt, `${of} goes back`, () => {
        world.wentBack = true
        if (stopped) hosts.killEvery({ backAfterMs: 200 })
        // What raw has forgotten is another branch when it is asked for again.
        else if (of === "raw") chain.reorganize(forgottenBlocks, forgottenBlocks + 1)
        database.restore(backup)
      })
    })
  }
}
