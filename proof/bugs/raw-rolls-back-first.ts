import type { Bug } from "./bug.js"

export const rawRollsBackFirst: Bug = {
  hazard: "H12",
  does: "A rollback takes raw back before app: who dies in between leaves app with what came of blocks that are gone.",
  patches: [
    {
      file: "src/rollback/finish-rollback.ts",
      find: "  await rollbackApp(deps, intent, { unflushed: deps.raw === deps.app })\n  await rollbackRaw(deps, intent)\n",
      replace: "  await rollbackRaw(deps, intent)\n  await rollbackApp(deps, intent)\n",
    },
  ],
  caughtBy: { by: "simulation", seeds: 100, notices: ["I4"] },
  test: {
    file: "src/rollback/finish-rollback.test.ts",
    title: "is all or nothing in each database wherever its process dies, and any other process finishes it",
  },
}
