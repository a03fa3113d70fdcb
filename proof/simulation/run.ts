// npm run sim. Exits with 1 at the first seed that breaks an invariant, if 200 seeds or more never met one of the
// situations or never struck at one of the ambushed statements, and if a seed had too few faults.

import { availableParallelism } from "node:os"
import { readOptions, refuse, wholeNumber } from "../../test/support/read-options.js"
import { openLaboratory } from "./laboratory.js"
import { useLightAbort } from "./light-abort.js"
import { ambushedStatements, type Plan, planOf } from "./plan.js"
import { encounterNames, leastTroubles, troubleNames } from "./run-seeds.js"
import { runSeedsInThreads } from "./run-seeds-in-threads.js"
import { shrink } from "./shrink.js"
import { type SimulationResult, simulate } from "./simulate.js"

const usage = `npm run sim -- --seeds 1000 [--from 0] [--threads 2]   many seeds
npm run sim -- --seed 7 [--trace] [--no-shrink]        one, and every statement of it
npm run sim -- --plan '{…}' [--seeds 100]              a plan that a failure printed, at other moments too`

const { values } = readOptions(usage, {
  options: {
    seeds: { type: "string" },
    from: { type: "string", default: "0" },
    threads: { type: "string", default: String(availableParallelism()) },
    seed: { type: "string" },
    plan: { type: "string" },
    trace: { type: "boolean", default: false },
    "no-shrink": { type: "boolean", default: false },
  },
})
const whole = (name: "seeds" | "from" | "threads" | "seed", text: string, least = 0): number =>
  wholeNumber(usage, { name, text, least })
/** Fewer need not meet every situation. */
const enoughSeeds = 200
const shrinkRuns = 150
/** Seeds per line of progress, without a terminal. */
const linesEvery = 10_000
useLightAbort()
const laboratory = await openLaboratory()

function report({ plan, violation }: SimulationResult): void {
  console.log(`seed ${plan.seed} breaks ${violation!.invariant} at ${violation!.atMs} ms: ${violation!.message}`)
}

async function fail(result: SimulationResult): Promise<never> {
  report(result)
  if (!values["no-shrink"]) {
    const shrunk = await shrink((plan) => simulate(laboratory, plan), result, { maxRuns: shrinkRuns })
    console.log(`shrunk in ${shrunk.runs} runs to:\n${JSON.stringify(shrunk.result.plan)}`)
    report(shrunk.result)
    const seed = given ? "" : `--seed ${result.plan.seed}, or `
    console.log(`again: npm run sim -- ${seed}--plan with the line above; --trace shows every statement`)
  }
  process.exit(1)
}

const given = values.plan === undefined ? undefined : readPlan(values.plan)
if (values.seed !== undefined || (given && values.seeds === undefined)) {
  const plan = given ?? planOf(whole("seed", values.seed!))
  const result = await simulate(laboratory, plan, values.trace ? { trace: (line) => console.log(line) } : {})
  if (result.violation) await fail(result)
  const tipMs = Math.round(result.reachedTipMs)
  console.log(`seed ${plan.seed} holds: ${result.events} events, at the tip after ${tipMs} ms`)
  console.log(result.encounters)
} else {
  const [from, count] = [whole("from", values.from), whole("seeds", values.seeds ?? "1000", 1)]
  const began = process.hrtime.bigint()
  const onSeed = (done: number): void => {
    if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${count}`)
    else if (done % linesEvery === 0) console.error(`${done} of ${count} hold`)
  }
  const threads = whole("threads", values.threads, 1)
  const result = await runSeedsInThreads({ from, count, plan: given, threads, onSeed })
  if (result.failed) await fail(result.failed)
  const tookMs = Number((process.hrtime.bigint() - began) / 1_000_000n)
  const { user, system } = process.cpuUsage()
  const perSeed = `${Math.round(result.events / count)} events and ${((user + system) / 1_000 / count).toFixed(1)} ms of CPU`
  const tipSeconds = (result.slowestTipMs / 1_000).toFixed(1)
  console.log(`${count} seeds from ${from} hold: ${perSeed} a seed, ${(tookMs / 1_000).toFixed(0)} s in all,`)
  console.log(`  at the tip at most ${tipSeconds} virtual seconds after the faults ended`)
  for (const name of encounterNames) console.log(`  ${name}: ${result.met[name]} seeds`)
  console.log(`  in every seed at least: ${troubleNames.map((name) => `${result.least[name]} ${name}`).join(", ")}`)
  console.log(
    `  ambushes struck at: ${ambushedStatements.map((kind) => `${result.strikes[kind]} ${kind}`).join(", ")}`,
  )
  const failIfAny = (missing: readonly string[], message: (names: string) => string): void => {
    if (given || missing.length === 0) return
    console.log(message(missing.join(", ")))
    process.exit(1)
  }
  const tame = troubleNames.filter((name) => result.least[name] < leastTroubles[name])
  failIfAny(tame, (names) => `some seed had too few ${names}`)
  const isEnough = count >= enoughSeeds
  const unmet = encounterNames.filter((name) => isEnough && result.met[name] === 0)
  failIfAny(unmet, (names) => `no seed met ${names}: the run shows less than it should`)
  const disarmed = ambushedStatements.filter((kind) => isEnough && result.strikes[kind] === 0)
  failIfAny(disarmed, (names) => `no ambush struck at ${names}: does statement-kinds.ts still know these statements?`)
}

function readPlan(text: string): Plan {
  try {
    return JSON.parse(text) as Plan
  } catch (error) {
    return refuse(usage, `--plan is a plan as a failure printed it: ${(error as Error).message}`)
  }
}
