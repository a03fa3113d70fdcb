import type { Bug } from "./bug.js"

export const gateOfFirstHeight: Bug = {
  hazard: "H5",
  does: "A dependency is asked for the first height of a range only, and not again at the commit.",
  patches: [
    {
      file: "src/coordination/choose-range.ts",
      find: "for (const gate of view.gates) free = intersect(free, gate)",
      replace:
        "for (const gate of view.gates)\n    free = free.filter(({ from }) => gate.some((part) => part.from <= from && from < part.to))",
    },
    {
      file: "src/coordination/postgres/commit-group.ts",
      find: "if (dependencies.length === 0) return\n",
      replace: "if (dependencies.length >= 0) return\n",
    },
  ],
  caughtBy: { by: "simulation", seeds: 100 },
  test: {
    file: "src/coordination/postgres/postgres-lease-store.test.ts",
    title: "a range is claimable only where every dependency covers every height of it",
  },
}
