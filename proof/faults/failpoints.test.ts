// A file of its own, so that it does not wait for the other scenarios: all of them take a minute where nothing else runs.

import { expect, it } from "vitest"
import { play } from "../chaos/play.js"
import { failpointKills } from "../chaos/scenarios/failpoints.js"
import { failpoints } from "./failpoints.js"

it("a process that dies at any of the named statements leaves what the next one puts right", async () => {
  const result = await play(failpointKills, { profile: "quick", seed: 1, say: console.info })
  expect(result.failed).toBeUndefined()
  expect(result.outcome?.times).toBeGreaterThanOrEqual(failpoints.length)
}, 1_800_000)
