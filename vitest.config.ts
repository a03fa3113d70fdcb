import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/longest-first.js"

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "proof/**/*.test.ts"],
    globalSetup: ["test/global-setup.ts"],
    // Ends what hangs, and times nothing: waits inside of tests have bounds of their own, and say what they waited for.
    testTimeout: 600_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    pool: "forks",
    // One more than the two cores this has to do with: tests of faults wait much of their time for leases to end.
    maxWorkers: 3,
    // Of the scenarios in proof/chaos, so many at a time.
    maxConcurrency: 2,
    // Nothing here keeps state in a module, so files share the processes of the workers, and what they import is loaded once in each.
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
})
