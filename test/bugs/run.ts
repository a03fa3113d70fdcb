// npm run bugs [-- name ...]: puts each bug back, one at a time, in a copy of the tree, and sees the simulation or a fault scenario notice.
// First that each of these holds without any bug. Exits with 1 when a bug goes unnoticed. With --tests the named test of the rule that a bug
// breaks is run as well, and has to fail.

import { parseArgs } from "node:util"
import type { Bug, Catcher } from "./bug.js"
import { bugs } from "./bugs.js"
import { runChaos } from "./run-chaos.js"
import type { Outcome } from "./run-program.js"
import { runSimulation } from "./run-simulation.js"
import { runTests } from "./run-tests.js"
import { TreeCopy } from "./tree-copy.js"

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { tests: { type: "boolean", default: false } },
})
const unknown = names.filter((name) => !Object.hasOwn(bugs, name))
if (unknown.length > 0)
  throw new Error(`there is no bug ${unknown.join(", ")}: ${Object.keys(bugs).join(", ")}`)
const chosen = Object.entries(bugs).filter(([name]) => names.length === 0 || names.includes(name))
const seconds = (since: number): string => `${((performance.now() - since) / 1_000).toFixed(1)} s`
const describe = (catcher: Catcher): string =>
  catcher.by === "simulation"
    ? `simulation, ${catcher.seeds} seeds`
    : `chaos, ${catcher.scenario} ${catcher.count}`

const began = performance.now()
const tree = await TreeCopy.make()
const look = (catcher: Catcher): Promise<Outcome> =>
  catcher.by === "simulation" ? runSimulation(tree.directory, catcher) : runChaos(tree.directory, catcher)

/** What holds without any bug; of the simulation, the most seeds that any bug is given. */
function catchers(): Catcher[] {
  const all = chosen.map(([, { caughtBy }]) => caughtBy)
  const seeds = all.flatMap((each) => (each.by === "simulation" ? [each.seeds] : []))
  const scenarios = new Map(all.flatMap((each) => (each.by === "chaos" ? [[describe(each), each]] : [])))
  return [
    ...(seeds.length > 0 ? [{ by: "simulation", seeds: Math.max(...seeds) } as const] : []),
    ...scenarios.values(),
  ]
}

async function tested({ patches, test }: Bug): Promise<boolean> {
  const outcome = await tree.patched(patches, () => runTests(tree.directory, [test]))
  return outcome.get(test.title)!.failed > 0
}

let unnoticed = 0
try {
  for (const catcher of catchers()) {
    const started = performance.now()
    const { isSound, said } = await look(catcher)
    if (!isSound) throw new Error(`without any bug this does not hold: ${describe(catcher)}: ${said}`)
    console.log(`holds without a bug: ${describe(catcher)} (${seconds(started)})`)
  }
  for (const [name, bug] of chosen) {
    const started = performance.now()
    const { isSound, said } = await tree.patched(bug.patches, () => look(bug.caughtBy))
    const isTested = values.tests ? await tested(bug) : true
    if (isSound || !isTested) unnoticed++
    console.log(
      `${isSound ? "UNNOTICED" : "caught   "} ${bug.hazard.padEnd(3)} ${name.padEnd(26)} ${seconds(started).padStart(7)}  ${describe(bug.caughtBy)}`,
    )
    if (!isSound) console.log(`              ${said.slice(0, 160)}`)
    if (!isTested) console.log(`              its test passes all the same: ${bug.test.title}`)
  }
} finally {
  await tree.remove()
}
console.log(`${chosen.length - unnoticed} of ${chosen.length} caught, ${seconds(began)} in all`)
process.exitCode = unnoticed === 0 ? 0 : 1
