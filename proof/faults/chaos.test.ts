import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { play } from "../chaos/play.js"
import { scenarios } from "../chaos/scenarios.js"

// The others have tests of their own, with smaller things to find than a whole run shows.
describe("the quick profile of", () => {
  it.each(scenarios.filter(({ quickTest }) => quickTest === undefined))(
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

it("the others name tests that exist", () => {
  const named = scenarios.flatMap(({ quickTest }) => quickTest ?? [])
  expect(named.filter((file) => !existsSync(join(import.meta.dirname, file)))).toEqual([])
})
