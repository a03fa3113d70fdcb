import type { Bug } from "./bug.js"

export const nobodyAsksDependencies: Bug = {
  hazard: "H5",
  does: "Nobody asks whether the dependencies of a worker have got as far as its range.",
  patches: [
    {
      file: "src/coordination/choose-range.ts",
      find: "for (const gate of view.gates) free = intersect(free, gate)",
      replace: "free = intersect(free, free)",
    },
    {
      file: "src/coordination/postgres/commit-group.ts",
      find: "if (dependencies.length === 0) return\n",
      replace: "if (dependencies.length >= 0) return\n",
    },
  ],
  caughtBy: { by: "simulation", seeds: 100, notices: ["I1", "I3"] },
  test: {
    file: "src/coordination/postgres/postgres-lease-store.test.ts",
    title: "a range is claimable only where every dependency covers every height of it",
  },
}
