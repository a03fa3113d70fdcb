// The quick profile: the protocol holds in small worlds, and without any of its rules it does not.

import { describe, expect, test } from "vitest"
import { configure } from "./config.js"
import { configurations, quick } from "./configurations.js"
import { explore } from "./explore.js"
import { mutate } from "./mutate.js"
import { mutations } from "./mutations.js"

// A busy machine may take minutes for what are seconds of work.
const timeout = 300_000

test.each(Object.keys(quick))(
  "the protocol holds in every state of %s",
  (name) => {
    const { violation, trace, cutOff, states } = explore(configure(configurations[name]!))
    expect(violation && `${violation}\n${trace!.steps.join("\n")}\n${trace!.end}`).toBeNull()
    expect(cutOff).toBe(false)
    expect(states).toBeGreaterThan(100)
  },
  timeout,
)

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
