import type { Bug } from "./bug.js"

export const forksMixedInARange: Bug = {
  hazard: "H26",
  does: "Blocks of one range need not fit each other.",
  patches: [
    {
      file: "src/families/evm/source/fetch-range.ts",
      find: "const broken = this.#options.checks.parent ? brokenLink(before, checked.fetched) : undefined",
      replace:
        "const broken = this.#options.checks.parent ? brokenLink(undefined, checked.fetched) : undefined",
    },
  ],
  caughtBy: {
    by: "chaos",
    scenario: "lies",
    count: 500,
    // Other blocks than an undisturbed run has.
    notices: /^\+ +blocks: '[0-9a-f]{64}',$/m,
  },
  test: {
    file: "src/families/evm/source/evm-source.test.ts",
    title:
      "batches that mix two forks are asked for again; when the chain stays broken the error has both hashes",
  },
}
