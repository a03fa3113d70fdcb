import type { Bug } from "./bug.js"

export const absentParentPasses: Bug = {
  hazard: "H27",
  does: "Where the neighbour's row is missing its check is left out.",
  patches: [
    {
      file: "src/raw/check-seams.ts",
      find: "if (seam!.below_covered) {",
      replace: "if (seam!.below_covered && seam!.below_hash) {",
    },
    {
      file: "src/raw/check-seams.ts",
      find: "if (seam!.above_covered) {",
      replace: "if (seam!.above_covered && seam!.above_parent_hash) {",
    },
  ],
  caughtBy: { by: "test", because: "a row is missing below what is covered only where somebody deleted it" },
  test: {
    file: "src/raw/range-ingester.test.ts",
    title: "a neighbour that is covered but has no row is damage, not a reason to skip the check",
  },
}
