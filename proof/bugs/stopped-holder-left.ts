import type { Bug } from "./bug.js"

export const stoppedHolderLeft: Bug = {
  hazard: "H77",
  does: "A holder that stopped keeps its connection, and with it its keys and locks, whoever takes its lease.",
  patches: [
    {
      file: "src/coordination/postgres/cut-leases.ts",
      find: "  await endHolders(tables, tx, rows)\n",
      replace: "",
    },
    {
      file: "src/coordination/postgres/reap-leases.ts",
      find: "  await endHolders(tables, tx, expired)\n",
      replace: "",
    },
    {
      file: "src/coordination/postgres/reap-leases.ts",
      find: "where lease.status = 'ACTIVE' and lease.lease_expires_at < $1::timestamptz",
      replace: "where lease.status = 'COMPLETED' and lease.lease_expires_at < $1::timestamptz",
    },
  ],
  caughtBy: { by: "simulation", seeds: 1000, notices: ["I8", "I9"] },
  test: {
    file: "src/rollback/finish-rollback.test.ts",
    title: "a holder that is stopped in its open transaction is ended, and its keys are free",
    // Whoever wants those keys waits for them in vain.
    notices:
      /^IndexerError: The database \S+ refused a transaction because of another one or of a time limit/,
  },
}
