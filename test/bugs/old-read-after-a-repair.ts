import type { Bug } from "./bug.js"

export const oldReadAfterARepair: Bug = {
  hazard: "H80",
  does: "Heights are given back, and who has read them keeps the right to commit.",
  patches: [
    {
      file: "src/workers/postgres/undo-heights.ts",
      find: "    cutLeases({ tables, random }, tx, { workers, removed }),\n",
      replace: "",
    },
  ],
  caughtBy: { by: "test", because: "heights are given back by a person" },
  test: {
    file: "src/workers/postgres/reopen-heights.test.ts",
    title: "whoever has read the old rows cannot commit them after they were given back",
  },
}
