import type { Bug } from "./bug.js"

export const testAndLockAtOnce: Bug = {
  hazard: "H82",
  does: "A commit's tests come before the chain lock.",
  patches: [
    {
      file: "src/coordination/postgres/commit-group.ts",
      find: '  await lockChain(tx, "shared")\n',
      replace: "",
    },
    {
      file: "src/coordination/postgres/commit-group.ts",
      find: "  await work.apply?.(tx)\n",
      replace: '  await lockChain(tx, "shared")\n  await work.apply?.(tx)\n',
    },
  ],
  caughtBy: { by: "simulation", seeds: 1000, notices: ["I1", "I4"] },
  test: {
    file: "src/coordination/postgres/postgres-lease-store.test.ts",
    title: "a rollback that commits while a writer waits for the chain lock is seen by that writer",
  },
}
