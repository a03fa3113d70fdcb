import type { Bug } from "./bug.js"

export const stoppedHolderLeft: Bug = {
  hazard: "H77",
  does: "Whoever cuts a lease leaves its holder's connection open.",
  patches: [
    {
      file: "src/coordination/postgres/cut-leases.ts",
      find: "  await endHolders(tables, tx, rows)\n",
      replace: "",
    },
  ],
  caughtBy: {
    file: "src/rollback/finish-rollback.test.ts",
    title: "a holder that is stopped in its open transaction is ended, and its keys are free",
  },
}
