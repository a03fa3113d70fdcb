import type { Bug } from "./bug.js"

export const finalityJumps: Bug = {
  hazard: "H25",
  does: "Finality rises with the node's word, whatever is stored below it: a block that lost there is never compared again.",
  patches: [
    {
      file: "src/coordination/postgres/postgres-chain-record.ts",
      find: "when finalized_height is null\n           or not exists",
      replace: "when finalized_height is null or finalized_height is not null\n           or not exists",
    },
  ],
  caughtBy: { by: "simulation", seeds: 100, notices: ["I9"] },
  test: {
    file: "src/coordination/postgres/postgres-chain-record.test.ts",
    title: "finality rises over stored blocks only when they are linked to the head, or were compared",
  },
}
