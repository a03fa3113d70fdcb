import type { Bug } from "./bug.js"

export const commitsTwice: Bug = {
  hazard: "H18",
  does: "A second try after a lost answer adds everything again.",
  patches: [
    {
      file: "src/coordination/postgres/commit-group.ts",
      find: "if (completed.length !== leases.length) {",
      replace: "if (completed.length > leases.length) {",
    },
    {
      file: "src/coordination/postgres/commit-group.ts",
      find: "if (intersect(parseMultirange(covered), [range]).length > 0) {",
      replace: "if (intersect(parseMultirange(covered), [range]).length < 0) {",
    },
  ],
  caughtBy: { by: "simulation", seeds: 200, notices: ["I1", "I2"] },
  test: {
    file: "src/coordination/postgres/postgres-lease-store.test.ts",
    title: "committing again after an answer that got lost doubles nothing",
  },
}
