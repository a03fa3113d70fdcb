// The quick profile: the protocol holds in small worlds, and without any of its rules it does not.

import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { configure, everyRule } from "./config.js"
import { configurations, full, quick } from "./configurations.js"
import { explore } from "./explore.js"
import { mutate } from "./mutate.js"
import { mutations } from "./mutations.js"

const docs = readFileSync(new URL("../../docs/model.md", import.meta.url), "utf8")
// A busy machine may take minutes for what are seconds of work.
const timeout = 300_000

test.each(Object.keys(quick))(
  "the protocol holds in every state of %s",
  (name) => {
    const { violation, trace, cutOff, states, steps, depth } = explore(configure(configurations[name]!))
    expect(violation && `${violation}\n${trace!.steps.join("\n")}\n${trace!.end}`).toBeNull()
    expect(cutOff).toBe(false)
    // As docs/model.md counts them: a world that has lost most of its states would hold too.
    const counted = [states, steps, depth].map((count) => count.toLocaleString("en")).join(" | ")
    expect(docs).toContain(`| \`${name}\` | ${counted} |`)
  },
  timeout,
)

test("docs/model.md counts what is there", () => {
  const all = Object.values(mutations)
  const harmful = all.filter((one) => !one.harmless)
  expect(docs).toContain(
    `${Object.keys(everyRule).length} rules. ${all.length} mutations take them away, alone or together: ${harmful.length} are caught, ${all.length - harmful.length} have no effect`,
  )
  const states = Object.keys(quick).map((name) => new RegExp(`\`${name}\` \\| ([\\d,]+)`).exec(docs)![1]!)
  const sum = states.reduce((total, count) => total + Number(count.replaceAll(",", "")), 0)
  const found = harmful.filter((one) => !one.slow).length
  expect(docs).toContain(
    `The quick profile searches ${Object.keys(quick).length} worlds (${sum.toLocaleString("en")} states) and finds ${found} of the ${harmful.length},`,
  )
  expect(docs).toContain(`The full profile's ${Object.keys(full).length} worlds`)
  for (const name of Object.keys({ ...quick, ...full })) expect(docs).toContain(`| \`${name}\` |`)
})

describe("without a rule it breaks:", () => {
  const caught = Object.entries(mutations).filter(([, { harmless, slow }]) => !harmless && !slow)
  test.each(caught)(
    "%s",
    (_name, mutation) => {
      expect(mutate(mutation).found).toBeDefined()
    },
    timeout,
  )
})
