import type { Bug } from "./bug.js"

export const coverageIsAHull: Bug = {
  hazard: "H14",
  does: "What is done is one stretch from the lowest to the highest: a piece that failed is passed over.",
  patches: [
    {
      file: "src/coordination/postgres/commit-group.ts",
      find: "set heights = heights + int8multirange(int8range($2::int8, $3::int8)), updated_at",
      replace:
        "set heights = int8multirange(range_merge(heights + int8multirange(int8range($2::int8, $3::int8)))), updated_at",
    },
  ],
  caughtBy: { by: "simulation", seeds: 100, notices: ["I2", "I3"] },
  test: {
    file: "src/coordination/postgres/postgres-lease-store.test.ts",
    title: "only one block dies, its neighbours complete, and the watermark stops in front of it",
  },
}
