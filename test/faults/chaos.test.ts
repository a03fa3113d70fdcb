import { describe, expect, it } from "vitest"
import { play } from "./chaos/play.js"
import { scenarios } from "./chaos/scenarios.js"

// The others have tests of their own, with smaller things to find than a whole run shows.
describe("the quick profile of", () => {
  it.each(scenarios.filter(({ quickTest }) => quickTest === undefined))(
    "$name ends with the tables of a run that nobody disturbed",
    async (scenario) => {
      const result = await play(scenario, { profile: "quick", seed: 1, say: console.info })
      expect(result.failed).toBeUndefined()
      if (result.skipped === undefined) expect(result.outcome?.times).toBeGreaterThan(0)
    },
    300_000,
  )
})
