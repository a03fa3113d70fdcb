// npm run bugs [-- name ...]: puts each bug back, one at a time, in a copy of the tree, and sees its test fail. First that all of these
// tests pass without any. Exits with 1 when a bug goes unnoticed. With --seeds 20 the simulation is run on each bug as well, and the first
// seed that notices is told; it need not, since not every bug is one of orders and faults.

import { parseArgs } from "node:util"
import type { Patch } from "./bug.js"
import { bugs } from "./bugs.js"
import { runSimulation } from "./run-simulation.js"
import { runTests } from "./run-tests.js"
import { TreeCopy } from "./tree-copy.js"

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { seeds: { type: "string", default: "0" } },
})
const seeds = Number(values.seeds)
const unknown = names.filter((name) => !Object.hasOwn(bugs, name))
if (unknown.length > 0)
  throw new Error(`there is no bug ${unknown.join(", ")}: ${Object.keys(bugs).join(", ")}`)
const chosen = Object.entries(bugs).filter(([name]) => names.length === 0 || names.includes(name))
const seconds = (since: number): string => `${((performance.now() - since) / 1_000).toFixed(1)} s`

async function simulated(patches: readonly Patch[]): Promise<string> {
  const started = performance.now()
  const { broken, stuck } = await tree.patched(patches, () => runSimulation(tree.directory, seeds))
  if (broken)
    return `simulation: seed ${broken.seed} breaks ${broken.what.slice(0, 120)} (${seconds(started)})`
  return `simulation: ${stuck ? "did not come to an end" : `not noticed in ${seeds} seeds`} (${seconds(started)})`
}

const began = performance.now()
const tree = await TreeCopy.make()
let unnoticed = 0
try {
  const sound = await runTests(
    tree.directory,
    chosen.map(([, { caughtBy }]) => caughtBy),
  )
  for (const [title, { passed, failed, said }] of sound) {
    if (passed === 0 || failed > 0) throw new Error(`without any bug this does not pass: ${title} ${said}`)
  }
  console.log(`all ${sound.size} tests pass without a bug (${seconds(began)})`)
  for (const [name, { hazard, patches, caughtBy }] of chosen) {
    const started = performance.now()
    const outcome = await tree.patched(patches, () => runTests(tree.directory, [caughtBy]))
    const { failed, said } = outcome.get(caughtBy.title)!
    if (failed === 0) unnoticed++
    console.log(
      `${failed > 0 ? "caught   " : "UNNOTICED"} ${hazard.padEnd(3)} ${name.padEnd(26)} ${seconds(started).padStart(7)}  ${caughtBy.title}`,
    )
    if (failed > 0) console.log(`              ${said.slice(0, 160)}`)
    if (seeds > 0) console.log(`              ${await simulated(patches)}`)
  }
} finally {
  await tree.remove()
}
console.log(`${chosen.length - unnoticed} of ${chosen.length} caught, ${seconds(began)} in all`)
process.exitCode = unnoticed === 0 ? 0 : 1
