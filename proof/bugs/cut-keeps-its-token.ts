import type { Bug } from "./bug.js"

export const cutKeepsItsToken: Bug = {
  hazard: "H81",
  does: "A lease is cut and its holder keeps the right to commit all of it.",
  patches: [
    {
      file: "src/coordination/postgres/cut-leases.ts",
      find: `set status = 'FAILED', epoch = $2, from_height = $3, to_height = $4, attempt = 0, lease_expires_at = null,
           next_attempt_at = clock_timestamp()`,
      replace: "set epoch = coalesce(epoch, $2), from_height = $3, to_height = $4",
    },
    // Behind it: the range of the lease is compared with what is committed, and the epoch with the rollbacks since.
    {
      file: "src/coordination/postgres/commit-group.ts",
      find: "and from_height = $3 and to_height = $4",
      replace: "and $3::int8 < $4::int8",
    },
    {
      file: "src/coordination/postgres/commit-group.ts",
      find: "where epoch > $1::int8 and removed && int8range($2::int8, $3::int8) limit 1",
      replace: "where epoch > $1::int8 and removed && int8range($2::int8, $3::int8) and false limit 1",
    },
  ],
  caughtBy: { by: "simulation", seeds: 1_000, notices: ["I2", "I4"] },
  test: {
    file: "src/rollback/finish-rollback.test.ts",
    title: "below a rollback commit as usual; one that straddles is cut and due; those above are gone",
  },
}
