import type { Bug } from "./bug.js"

export const seamBeforeTheLock: Bug = {
  hazard: "H78",
  does: "Seams are compared before the coverage row is locked.",
  patches: [
    {
      file: "src/coordination/postgres/commit-group.ts",
      find: "  await work.check?.(tx)\n",
      replace: "",
    },
    {
      file: "src/coordination/postgres/commit-group.ts",
      find: "  await completeLeases(tables, tx, leases)\n",
      replace: "  await work.check?.(tx)\n  await completeLeases(tables, tx, leases)\n",
    },
  ],
  caughtBy: {
    by: "chaos",
    scenario: "two-branches",
    count: 6,
    notices: /neighbours were stored that do not fit/,
  },
  test: {
    file: "src/coordination/postgres/postgres-lease-store.test.ts",
    title: "of two neighbours in flight the second to commit sees the first",
  },
}
