import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/longest-first.js"

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
    // Nothing here keeps state in a module, so files share the processes of the workers, and what they import is loaded once in each.
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
})
