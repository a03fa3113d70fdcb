import type { Bug } from "./bug.js"

export const straddlingLeaseDropped: Bug = {
  hazard: "H30",
  does: "A rollback drops a lease that reaches across its edge as a whole.",
  patches: [
    {
      file: "src/coordination/postgres/cut-leases.ts",
      find: "const [first, ...others] = subtract([range], removed)",
      replace: "const [first, ...others] = subtract([range], removed.length > 0 ? [range] : removed)",
    },
  ],
  caughtBy: { by: "test", because: "what no lease holds is a gap, and gaps are claimed" },
  test: {
    file: "src/rollback/finish-rollback.test.ts",
    title:
      "below a rollback commit as if nothing were; one that straddles is cut and due; those above are gone",
  },
}
