import type { Bug } from "./bug.js"

export const cutKeepsItsToken: Bug = {
  hazard: "H81",
  does: "A lease is cut and its holder keeps its token.",
  patches: [
    {
      file: "src/coordination/postgres/cut-leases.ts",
      find: "set status = 'FAILED', epoch = $2, from_height = $3",
      replace: "set status = 'FAILED', epoch = coalesce(epoch, $2), from_height = $3",
    },
  ],
  caughtBy: { by: "test", because: "a commit also compares its range and the epoch" },
  test: {
    file: "src/rollback/finish-rollback.test.ts",
    title:
      "below a rollback commit as if nothing were; one that straddles is cut and due; those above are gone",
  },
}
