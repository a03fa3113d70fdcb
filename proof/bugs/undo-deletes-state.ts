import type { Bug } from "./bug.js"

export const undoDeletesState: Bug = {
  hazard: "H21",
  does: "Undo deletes every row of state that a removed height touched.",
  patches: [
    {
      file: "src/workers/postgres/undo-fold.ts",
      find: "found} - x.n",
      replace: "found} * 0",
    },
  ],
  caughtBy: {
    by: "chaos",
    scenario: "reorgs",
    count: 5,
    // Rows that are gone; or a rollback that cannot end, where heights are undone a second time and the store finds less than it is to take away.
    notices: /^(ft_tokens|nft_collections|contracts|address_stats) .* ≠ |lack events of the heights/m,
  },
  test: {
    file: "src/workers/range-deriver.test.ts",
    title:
      "heights given back are as if never derived, for all who depend on them, and the same again afterwards",
    // A second undo finds less than it is to take away, and says so.
    notices: /lack events of the heights/,
  },
}
