import type { Bug } from "./bug.js"

export const rolledBackComesBack: Bug = {
  hazard: "H8",
  does: "A commit does not ask whether its range was rolled back since it was read.",
  patches: [
    {
      file: "src/coordination/postgres/commit-group.ts",
      find: "where epoch > $1::int8 and removed && int8range($2::int8, $3::int8) limit 1",
      replace: "where epoch > $1::int8 and removed && int8range($2::int8, $3::int8) and false limit 1",
    },
    // Behind it: the rollback, which knows what is covered, ends the tokens of all it reaches.
    {
      file: "src/workers/postgres/undo-heights.ts",
      find: "const cut = ledger.cutLeases(tx, { workers, removed })\n",
      replace: "const cut = known ? Promise.resolve(0) : ledger.cutLeases(tx, { workers, removed })\n",
    },
  ],
  caughtBy: { by: "simulation", seeds: 1_000, notices: ["I1", "I4"] },
  test: {
    file: "src/coordination/postgres/postgres-lease-store.test.ts",
    title: "a rollback after the claim refuses what it reaches and leaves the rest alone",
  },
}
