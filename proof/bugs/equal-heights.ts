import type { Bug } from "./bug.js"

export const equalHeights: Bug = {
  hazard: "H24",
  does: "Of the rows of one height the first wins where the last should: only heights are compared.",
  patches: [
    {
      file: "src/workers/postgres/aggregate-sql.ts",
      find: "`c.p ${direction} nulls last, c.o",
      replace: "`c.p[1] ${direction} nulls last, c.p asc, c.o",
    },
  ],
  caughtBy: {
    by: "chaos",
    scenario: "reorgs",
    count: 5,
    seed: 5,
    notices: /^nft_ownership: \d+ differences/m,
  },
  test: {
    file: "src/workers/derive-group.test.ts",
    title: "count in the order of their logs, whichever is derived last: %s first",
  },
}
