// npm run bugs [-- name ...]: puts each bug back, one at a time, in a copy of the tree, and checks that the simulation or a fault
// scenario notices. These must first pass without any bug. Exits with 1 when a bug goes unnoticed, or anything but what it names
// fails. With --tests the test of every rule runs as well and must fail.

import { readOptions, refuse } from "../../test/support/read-options.js"
import type { Bug, Catcher } from "./bug.js"
import { bugs } from "./bugs.js"
import { isNoticed, noticesOf } from "./is-noticed.js"
import { runChaos } from "./run-chaos.js"
import type { Outcome } from "./run-program.js"
import { runSimulation } from "./run-simulation.js"
import { runTest } from "./run-test.js"
import { TreeCopy } from "./tree-copy.js"

const usage = `npm run bugs [-- name …] [--tests]

  name      of ${Object.keys(bugs).join(", ")}; all by default
  --tests   the test of each rule is run as well, and has to fail`

const { values, positionals: names } = readOptions(usage, {
  allowPositionals: true,
  options: { tests: { type: "boolean", default: false } },
})
const unknown = names.filter((name) => !Object.hasOwn(bugs, name))
if (unknown.length > 0) refuse(usage, `there is no bug ${unknown.join(", ")}`)
const chosen = Object.entries(bugs).filter(([name]) => names.length === 0 || names.includes(name))
const seconds = (since: number): string => `${((performance.now() - since) / 1_000).toFixed(1)} s`
const describe = ({ caughtBy }: Bug): string => {
  if (caughtBy.by === "chaos") return `chaos, ${caughtBy.scenario} ${caughtBy.count}, seed ${caughtBy.seed}`
  const { seeds, regression } = caughtBy
  return `simulation, ${seeds} seeds${regression === undefined ? "" : ` of "${regression}"`}`
}

const began = performance.now()
const tree = await TreeCopy.make()

const look = ({ caughtBy }: Bug): Promise<Outcome> =>
  caughtBy.by === "simulation" ? runSimulation(tree.directory, caughtBy) : runChaos(tree.directory, caughtBy)

/** What must hold without any bug, each once; of the simulation, the most seeds that any bug has. */
function catchers(): Bug[] {
  const each = new Map<string, Bug>()
  for (const [, bug] of chosen) {
    const { caughtBy } = bug
    const isAnySeeds = caughtBy.by === "simulation" && caughtBy.regression === undefined
    const key = isAnySeeds ? "simulation" : describe(bug)
    const known = each.get(key)?.caughtBy
    if (known?.by !== "simulation" || (isAnySeeds && caughtBy.seeds > known.seeds)) each.set(key, bug)
  }
  return [...each.values()]
}

let unnoticed = 0

async function putBack(
  { patches }: Bug,
  { notices, run }: { notices: Catcher["notices"]; run: () => Promise<Outcome> },
): Promise<{ verdict: "caught" | "UNNOTICED"; said: string }> {
  // A run that breaks shows nothing, and the others still run.
  const outcome = await tree.patched(patches, run).catch((error: Error) => error)
  if (!(outcome instanceof Error) && isNoticed(outcome, notices))
    return { verdict: "caught", said: passage(outcome.said, notices) }
  unnoticed++
  const seen = outcome instanceof Error ? outcome.message : outcome.isSound ? "nothing" : outcome.said
  return { verdict: "UNNOTICED", said: `wanted ${notices}, seen: ${seen.slice(0, 1_000)}` }
}

/** The line that says it. */
const passage = (said: string, notices: Catcher["notices"]): string =>
  said
    .split("\n")
    .find((line) => !(notices instanceof RegExp) || notices.test(line))
    ?.trim()
    .slice(0, 160) ?? said.slice(0, 160)

try {
  for (const bug of catchers()) {
    const started = performance.now()
    const { isSound, said } = await look(bug)
    if (!isSound) throw new Error(`without any bug this does not hold: ${describe(bug)}: ${said}`)
    console.log(`holds without a bug: ${describe(bug)} (${seconds(started)})`)
  }
  for (const [name, bug] of chosen) {
    const started = performance.now()
    const { caughtBy, test } = bug
    const { verdict, said } = await putBack(bug, { notices: caughtBy.notices, run: () => look(bug) })
    const took = seconds(started).padStart(7)
    console.log(`${verdict.padEnd(9)} ${bug.hazard.padEnd(3)} ${name.padEnd(26)} ${took}  ${describe(bug)}`)
    console.log(`              ${said}`)
    if (!values.tests) continue
    const byTest = await putBack(bug, { notices: noticesOf(test), run: () => runTest(tree.directory, test) })
    console.log(`              ${byTest.verdict} by test: ${test[1]}\n              ${byTest.said}`)
  }
} finally {
  await tree.remove()
}
console.log(`${unnoticed} unnoticed of ${chosen.length}, ${seconds(began)} in all`)
process.exitCode = unnoticed === 0 ? 0 : 1
