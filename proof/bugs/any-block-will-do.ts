import type { Bug } from "./bug.js"

export const anyBlockWillDo: Bug = {
  hazard: "H10",
  does: "A range counts as stored though a block in its middle is missing.",
  patches: [
    {
      file: "src/families/evm/source/fetch-range.ts",
      find: 'if (!isIndexerError(error) || error.action !== "retry" || signal.aborted) throw error\n        problem = error',
      replace: `if (isIndexerError(error, "RPC_BLOCK_MISSING")) {
          height++
          before = undefined
          continue
        }
        if (!isIndexerError(error) || error.action !== "retry" || signal.aborted) throw error
        problem = error`,
    },
    {
      file: "src/raw/range-tally.ts",
      find: "block.height !== this.last.height + 1",
      replace: "block.height <= this.last.height",
    },
  ],
  caughtBy: {
    by: "chaos",
    scenario: "lies",
    count: 500,
    // Another number of blocks than an undisturbed run has.
    notices: /^\+ +blocks: \d+,$/m,
  },
  test: {
    file: "src/raw/range-ingester.test.ts",
    title: "a source that leaves a block out in the middle is refused",
  },
}
