// The quick profile of every scenario, two at a time: they wait for leases to end most of the time.

import { describe, expect, it } from "vitest"
import { play } from "./play.js"
import { scenarios } from "./scenarios.js"

describe.concurrent("the quick profile of", () => {
  it.each(scenarios)(
    "$name ends with the tables of a run that nobody disturbed",
    async (scenario) => {
      const result = await play(scenario, { profile: "quick", seed: 1, say: console.info })
      expect(result.failed).toBeUndefined()
      if (result.skipped === undefined) expect(result.outcome?.times).toBeGreaterThan(0)
    },
    // A scenario has bounds of its own, for each of its parts.
    1_800_000,
  )
})
