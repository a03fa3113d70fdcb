// npm run model: checks the larger worlds too, or prints what becomes of the protocol without one of its rules.

import { readOptions, refuse } from "../../test/support/read-options.js"
import { configure } from "./config.js"
import { configurations, full, quick } from "./configurations.js"
import { type Exploration, explore } from "./explore.js"
import { mutate } from "./mutate.js"
import { mutations } from "./mutations.js"

const usage = `npm run model                    all worlds, quick and full, then every mutation
npm run model -- quick           what npm test does
npm run model -- world name …    some worlds
npm run model -- mutate [text]   mutations whose name has the text in it, with their shortest traces`

const { positionals } = readOptions(usage, { allowPositionals: true, options: {} })
const [command = "all", ...names] = positionals

const counted = ({ states, steps, depth, seconds }: Exploration): string =>
  `${String(states).padStart(8)} states ${String(steps).padStart(9)} steps  depth ${String(depth).padStart(3)} ${seconds.toFixed(1).padStart(7)} s`

function printTrace({ violation, trace }: Exploration): void {
  console.log(`    ${violation}`)
  for (const [at, step] of trace!.steps.entries()) console.log(`    ${String(at + 1).padStart(3)}. ${step}`)
  console.log(trace!.end.replace(/^/gm, "       "))
}

function checkWorlds(names: readonly string[]): boolean {
  let isSound = true
  for (const name of names) {
    const found = explore(configure(configurations[name]!), { maxStates: 8e6 })
    const verdict = found.violation ? "BROKEN" : found.cutOff ? "cut off" : "holds"
    console.log(`${verdict.padEnd(8)} ${name.padEnd(18)} ${counted(found)}`)
    if (found.violation) printTrace(found)
    if (found.violation || found.cutOff) isSound = false
  }
  return isSound
}

function checkMutations(text: string, { traces }: { traces: boolean }): boolean {
  let isExpected = true
  for (const [name, mutation] of Object.entries(mutations)) {
    if (!name.includes(text)) continue
    const { found, world, states } = mutate(mutation)
    const { harmless } = mutation
    if (found) {
      console.log(
        `caught    ${name}  [${world}, ${found.trace!.steps.length} steps] ${found.violation}${harmless ? "  UNEXPECTED" : ""}`,
      )
      if (traces) printTrace(found)
    } else console.log(`no effect ${name}  [${states} states] ${harmless ?? "UNEXPECTED"}`)
    if (Boolean(found) === Boolean(harmless)) isExpected = false
  }
  return isExpected
}

const worlds: Record<string, readonly string[]> = {
  all: [...Object.keys(quick), ...Object.keys(full)],
  quick: Object.keys(quick),
  world: names,
  mutate: [],
}
const chosen = worlds[command]
if (!chosen) refuse(usage, `${command} is none of ${Object.keys(worlds).join(", ")}`)
if (names.length > 0 && (command === "all" || command === "quick"))
  refuse(usage, `${command} takes no names: ${names.join(" ")}`)
const unknown = chosen.find((name) => !Object.hasOwn(configurations, name))
if (unknown !== undefined || (command === "world" && names.length === 0))
  refuse(usage, `${unknown ?? "nothing"} is no world; there are ${Object.keys(configurations).join(", ")}`)
if (command === "mutate" && !Object.keys(mutations).some((name) => name.includes(names.join(" "))))
  refuse(usage, `no mutation has "${names.join(" ")}" in its name; there are ${Object.keys(mutations).join(", ")}`)
const isSound = checkWorlds(chosen)
const isExpected = command === "world" || checkMutations(names.join(" "), { traces: command === "mutate" })
process.exitCode = isSound && isExpected ? 0 : 1
