import type { Bug } from "./bug.js"

export const anyBlockWillDo: Bug = {
  hazard: "H10",
  does: "A range counts as stored though a block in its middle is missing.",
  patches: [
    {
      file: "src/raw/raw-writer.ts",
      find: "block.height !== this.last.height + 1",
      replace: "block.height <= this.last.height",
    },
  ],
  caughtBy: {
    file: "src/raw/range-ingester.test.ts",
    title: "a source that leaves a block out in the middle is refused",
  },
}
