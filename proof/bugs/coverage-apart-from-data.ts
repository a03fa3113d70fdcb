import type { Bug } from "./bug.js"

export const coverageApartFromData: Bug = {
  hazard: "H35",
  does: "What was stored is not said in the transaction that stores it.",
  patches: [
    {
      file: "src/coordination/postgres/commit-group.ts",
      find: "updated_at = clock_timestamp()\n     where worker_type = any ($1)`,\n    [workers, range.from, range.to],",
      replace:
        "updated_at = clock_timestamp()\n     where worker_type = any ($1) and false`,\n    [workers, range.from, range.to],",
    },
  ],
  caughtBy: { by: "simulation", seeds: 100, notices: ["I3"] },
  test: {
    file: "src/coordination/postgres/postgres-lease-store.test.ts",
    title: "a commit makes data and coverage true together",
  },
}
