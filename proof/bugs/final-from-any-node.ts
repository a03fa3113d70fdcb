import type { Bug } from "./bug.js"

export const finalFromAnyNode: Bug = {
  hazard: "H25",
  does: "The head's first range begins with the block at finality and takes it from any node: one that stands still gives a block that lost, and final blocks are never taken back.",
  patches: [
    {
      file: "src/raw/range-ingester.ts",
      find: "finalTo: state.finalizedHeight ?? undefined",
      replace: "finalTo: range.to - 1 <= (state.finalizedHeight ?? -1) ? state.finalizedHeight! : undefined",
    },
  ],
  caughtBy: {
    by: "simulation",
    seeds: 200,
    regression:
      "a node that stands still on a branch that lost gives no final block to the head's first range",
    notices: ["I9"],
  },
  test: {
    file: "src/raw/range-ingester.test.ts",
    title: "a range that reaches above finality asks for its final blocks as such",
  },
}
