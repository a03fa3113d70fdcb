// npm run chaos: fault scenarios on real processes, one after the other, and the table that docs/reliability.md keeps.

import { readOptions, refuse, wholeNumber } from "../../test/support/read-options.js"
import { play } from "./play.js"
import { scenarios } from "./scenarios.js"
import type { Scene } from "./scene.js"
import { formatFacts, formatSummary, type Result } from "./summary.js"

const names = scenarios.map(({ name }) => name)
const usage = `npm run chaos [-- scenario …] [--profile quick|full] [--seed 1] [--count N] [--discard]

  scenario    of ${names.join(", ")}; all by default
  --profile   quick is seconds each, full the counts of docs/reliability.md
  --seed      what happens when
  --count     how often it happens; the profile says it otherwise
  --discard   keeps no database of a failure`

const { values: given, positionals: named } = readOptions(usage, {
  allowPositionals: true,
  options: {
    profile: { type: "string", default: "quick" },
    seed: { type: "string", default: "1" },
    count: { type: "string" },
    discard: { type: "boolean", default: false },
  },
})
const { profile } = given
if (profile !== "quick" && profile !== "full") refuse(usage, `--profile is quick or full, not ${profile}`)
const seed = wholeNumber(usage, { name: "seed", text: given.seed })
const count =
  given.count === undefined ? {} : { count: wholeNumber(usage, { name: "count", text: given.count, least: 1 }) }
const unknown = named.find((name) => !names.includes(name))
if (unknown !== undefined) refuse(usage, `${unknown} is no scenario`)

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
