import type { Bug } from "./bug.js"

export const gapsBelowOverlooked: Bug = {
  hazard: "H3",
  does: "A claim looks above what is done only, so that a range left behind below is nobody's.",
  patches: [
    {
      file: "src/coordination/choose-range.ts",
      find: "  const gap = free[0]\n",
      replace:
        "  const done = view.heights.at(-1)?.to ?? 0\n  const gap = free.find(({ from }) => from >= done)\n",
    },
  ],
  caughtBy: { by: "simulation", seeds: 100, notices: ["I9"] },
  test: {
    file: "src/coordination/choose-range.property.test.ts",
    title: "whatever is free and gated is claimed sooner or later, so no gap is left behind",
  },
}
