// The simulation by hand. Exits with 1 at the first seed that breaks an invariant, and when a run of 200 seeds or more never met one of the
// things it is for or struck at one of the statements that ambushes wait for, or any seed had less trouble than every seed has.

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
/** Below this a run says nothing about what it did not meet. */
const enoughSeeds = 200
const shrinkRuns = 150
/** Seeds, where nobody looks on. */
const linesEvery = 10_000
useLightAbort()
const laboratory = await openLaboratory()

function tell({ plan, violation }: SimulationResult): void {
  console.log(`seed ${plan.seed} breaks ${violation!.invariant} at ${violation!.atMs} ms: ${violation!.message}`)
}

async function fail(result: SimulationResult): Promise<never> {
  tell(result)
  if (!values["no-shrink"]) {
    const shrunk = await shrink((plan) => simulate(laboratory, plan), result, { maxRuns: shrinkRuns })
    console.log(`shrunk in ${shrunk.runs} runs to:\n${JSON.stringify(shrunk.result.plan)}`)
    tell(shrunk.result)
    console.log(
      `again: npm run sim -- ${given ? "" : `--seed ${result.plan.seed}, or `}--plan with the line above; --trace shows every statement`,
    )
  }
  process.exit(1)
}

const given = values.plan === undefined ? undefined : readPlan(values.plan)
if (values.seed !== undefined || (given && values.seeds === undefined)) {
  const plan = given ?? planOf(whole("seed", values.seed!))
  const result = await simulate(laboratory, plan, values.trace ? { trace: (line) => console.log(line) } : {})
  if (result.violation) await fail(result)
  console.log(
    `seed ${plan.seed} holds: ${result.events} events, at the tip after ${Math.round(result.reachedTipMs)} ms`,
  )
  console.log(result.encounters)
} else {
  const [from, count] = [whole("from", values.from), whole("seeds", values.seeds ?? "1000", 1)]
  const began = process.hrtime.bigint()
  const onSeed = (done: number): void => {
    if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${count}`)
    else if (done % linesEvery === 0) console.error(`${done} of ${count} hold`)
  }
  const result = await runSeedsInThreads({
    from,
    count,
    plan: given,
    threads: whole("threads", values.threads, 1),
    onSeed,
  })
  if (result.failed) await fail(result.failed)
  const tookMs = Number((process.hrtime.bigint() - began) / 1_000_000n)
  const { user, system } = process.cpuUsage()
  console.log(
    `${count} seeds from ${from} hold: ${Math.round(result.events / count)} events and ${((user + system) / 1_000 / count).toFixed(1)} ms of processor a seed, ${(tookMs / 1_000).toFixed(0)} s in all, at the tip ${(result.slowestTipMs / 1_000).toFixed(1)} virtual seconds after healing at most`,
  )
  for (const name of encounterNames) console.log(`  ${name}: ${result.met[name]} seeds`)
  console.log(`  in every seed at least: ${troubleNames.map((name) => `${result.least[name]} ${name}`).join(", ")}`)
  console.log(
    `  ambushes struck at: ${ambushedStatements.map((kind) => `${result.strikes[kind]} ${kind}`).join(", ")}`,
  )
  const tame = troubleNames.filter((name) => result.least[name] < leastTroubles[name])
  if (!given && tame.length > 0) {
    console.log(`some seed had too few ${tame.join(", ")}: it is a toy`)
    process.exit(1)
  }
  const unmet = encounterNames.filter((name) => result.met[name] === 0)
  if (!given && count >= enoughSeeds && unmet.length > 0) {
    console.log(`no seed met ${unmet.join(", ")}: the run shows less than it is meant to`)
    process.exit(1)
  }
  const disarmed = ambushedStatements.filter((kind) => result.strikes[kind] === 0)
  if (!given && count >= enoughSeeds && disarmed.length > 0) {
    console.log(`no ambush struck at ${disarmed.join(", ")}: does statement-kinds.ts still know these statements?`)
    process.exit(1)
  }
}

function readPlan(text: string): Plan {
  try {
    return JSON.parse(text) as Plan
  } catch (error) {
    return refuse(usage, `--plan is a plan as a failure printed it: ${(error as Error).message}`)
  }
}
