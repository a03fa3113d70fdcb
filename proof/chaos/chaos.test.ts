// The quick profile of the scenarios, two at a time: they wait for leases to end most of the time. The checker computes
// what they must end with; the run of an undisturbed process beside it is left to `npm run chaos`.

import { describe, expect, it } from "vitest"
import { play } from "./play.js"
import { scenarios } from "./scenarios.js"

describe.concurrent("the quick profile of", () => {
  it.each(scenarios.filter(({ byHand }) => !byHand))(
    "$name ends with the tables that the checker computes",
    async (scenario) => {
      const result = await play(scenario, { profile: "quick", seed: 1, checkerOnly: true, say: console.info })
      expect(result.failed).toBeUndefined()
      if (result.skipped === undefined) expect(result.outcome?.times).toBeGreaterThan(0)
    },
    // A scenario has bounds of its own, for each of its parts.
    1_800_000,
  )
})
