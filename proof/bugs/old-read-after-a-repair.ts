import type { Bug } from "./bug.js"

export const oldReadAfterARepair: Bug = {
  hazard: "H80",
  does: "Heights are given back, and who has read them keeps the right to commit.",
  patches: [
    {
      file: "src/workers/postgres/undo-heights.ts",
      find: "const cut = ledger.cutLeases(tx, { workers, removed })\n",
      // A rollback, which knows what is covered, still ends them.
      replace: "const cut = known ? ledger.cutLeases(tx, { workers, removed }) : Promise.resolve(0)\n",
    },
  ],
  caughtBy: { by: "simulation", seeds: 1_000, notices: ["I1"] },
  test: {
    file: "src/workers/postgres/reopen-heights.test.ts",
    title: "whoever has read the old rows cannot commit them after they were given back",
  },
}
