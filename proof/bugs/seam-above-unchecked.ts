import type { Bug } from "./bug.js"

export const seamAboveUnchecked: Bug = {
  hazard: "H27",
  does: "A range is compared with the block below it only: where it is stored under another one, nobody checks the seam.",
  patches: [
    {
      file: "src/raw/check-seams.ts",
      find: "if (seam!.above_covered) {",
      replace: "if (seam!.above_covered && !seam!.above_covered) {",
    },
  ],
  caughtBy: {
    by: "chaos",
    scenario: "two-branches",
    count: 6,
    notices: /neighbours were stored that do not fit/,
  },
  test: {
    file: "src/raw/range-ingester.test.ts",
    title:
      "a range whose parent is not the stored neighbour is refused, from either side, and nothing is deleted",
  },
}
