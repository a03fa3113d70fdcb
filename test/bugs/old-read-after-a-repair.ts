import type { Bug } from "./bug.js"

export const oldReadAfterARepair: Bug = {
  hazard: "H80",
  does: "Heights are given back, and who has read them keeps the right to commit.",
  patches: [
    {
      file: "src/workers/postgres/undo-heights.ts",
      find: "const cut = cutLeases({ tables, random }, tx, { workers, removed })\n",
      replace: "const cut = Promise.resolve(0)\n",
    },
  ],
  caughtBy: { by: "test", because: "heights are given back by a person" },
  test: {
    file: "src/workers/postgres/reopen-heights.test.ts",
    title: "whoever has read the old rows cannot commit them after they were given back",
  },
}
