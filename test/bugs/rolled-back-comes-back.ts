import type { Bug } from "./bug.js"

export const rolledBackComesBack: Bug = {
  hazard: "H8",
  does: "Neither a commit nor its lease is told that its range was rolled back since it was read.",
  patches: [
    {
      file: "src/coordination/postgres/commit-group.ts",
      find: "where epoch > $1::int8 and removed && int8range($2::int8, $3::int8) limit 1",
      replace: "where epoch > $1::int8 and removed && int8range($2::int8, $3::int8) and false limit 1",
    },
    {
      file: "src/coordination/postgres/cut-leases.ts",
      find: "where worker_type = any ($1) and status <> 'COMPLETED' and int8range",
      replace: "where worker_type = any ($1) and status = 'DEAD' and int8range",
    },
  ],
  caughtBy: { by: "simulation", seeds: 1000 },
  test: {
    file: "src/coordination/postgres/postgres-lease-store.test.ts",
    title: "a rollback after the claim refuses what it reaches and leaves the rest alone",
  },
}
