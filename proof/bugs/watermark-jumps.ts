import type { Bug } from "./bug.js"

export const watermarkJumps: Bug = {
  hazard: "H2",
  does: "The watermark is the highest height reached.",
  patches: [
    {
      file: "src/domain/range-set.ts",
      find: "return set.find((part) => part.from <= start && start < part.to)?.to ?? start",
      replace: "return set.at(-1)?.to ?? start",
    },
  ],
  caughtBy: {
    by: "chaos",
    scenario: "kills",
    count: 3,
    notices: /I5: \S+ says all is done up to \d+, and it is up to \d+/,
  },
  test: {
    file: "src/domain/range-set.property.test.ts",
    title: "the watermark is the first height from the start that is missing, whatever lies above",
  },
}
