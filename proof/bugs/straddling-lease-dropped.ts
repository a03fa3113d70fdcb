import type { Bug } from "./bug.js"

export const straddlingLeaseDropped: Bug = {
  hazard: "H30",
  does: "A rollback drops every lease that reaches across its edge as a whole, finished ones too: what lies below is done again on top of what is there.",
  patches: [
    {
      file: "src/coordination/postgres/cut-leases.ts",
      find: "const [first, ...others] = subtract([range], removed)",
      replace: "const [first, ...others] = subtract([range], removed.length > 0 ? [range] : removed)",
    },
    // Behind it: what is done is known by its heights, whatever became of the leases it was done under.
    {
      file: "src/workers/postgres/undo-heights.ts",
      find: 'import { intersect } from "../../domain/range-set.js"',
      replace:
        'import { intersect, union } from "../../domain/range-set.js"\nimport { printMultirange } from "../../postgres/multirange.js"',
    },
    {
      file: "src/workers/postgres/undo-heights.ts",
      find: "  const cut = ledger.cutLeases(",
      replace: `  const { rows: dropped } = await tx.query<{ from_height: string; to_height: string }>(
    \`select from_height, to_height from app.worker_leases
     where worker_type = any ($1) and int8range(from_height, to_height) && $2::int8multirange\`,
    [workers, printMultirange(removed)],
  )
  const whole = union(removed, dropped.map(({ from_height, to_height }) => ({ from: Number(from_height), to: Number(to_height) })))
  const cut = ledger.cutLeases(`,
    },
    {
      file: "src/workers/postgres/undo-heights.ts",
      find: "ledger.uncover(tx, { workers, removed })",
      replace: "ledger.uncover(tx, { workers, removed: whole })",
    },
  ],
  caughtBy: { by: "simulation", seeds: 100, notices: ["I3", "I5"] },
  test: {
    file: "src/rollback/finish-rollback.test.ts",
    title: "below a rollback commit as usual; one that straddles is cut and due; those above are gone",
  },
}
