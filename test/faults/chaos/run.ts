// npm run chaos: fault scenarios on real processes, one after the other, and the table that docs/reliability.md keeps. Names as
// arguments choose some; --profile, --seed and --count say how. --discard keeps no database of a failure.

import assert from "node:assert/strict"
import { parseArgs } from "node:util"
import { play } from "./play.js"
import { scenarios } from "./scenarios.js"
import type { Scene } from "./scene.js"
import { formatFacts, formatSummary, type Result } from "./summary.js"

const { values: given, positionals: named } = parseArgs({
  allowPositionals: true,
  options: {
    profile: { type: "string", default: "quick" },
    seed: { type: "string", default: "1" },
    count: { type: "string" },
    discard: { type: "boolean", default: false },
  },
})
const { profile } = given
assert.ok(profile === "quick" || profile === "full", "--profile is quick or full")
const seed = Number(given.seed)
assert.ok(Number.isSafeInteger(seed), "--seed is a whole number")
const count = given.count === undefined ? {} : { count: Number(given.count) }
for (const name of named) {
  const names = scenarios.map((each) => each.name)
  assert.ok(names.includes(name), `${name} is no scenario; there are ${names.join(", ")}`)
}

let current: Scene | undefined
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, async () => {
    await current?.close({ keep: false })
    process.exit(1)
  })
}
const results: Result[] = []
for (const scenario of scenarios.filter(({ name }) => named.length === 0 || named.includes(name))) {
  const result = await play(scenario, {
    ...{ profile, seed, ...count, keep: !given.discard, say: (text: string) => console.log(text) },
    onScene: (scene) => {
      current = scene
    },
  })
  results.push(result)
  if (result.outcome) console.log(formatFacts(result.outcome.facts))
}
console.log(`\n${formatSummary(results)}`)
process.exitCode = results.some(({ failed }) => failed !== undefined) ? 1 : 0
