// The hazards that can be put back, in the order of their numbers. docs/bugs.md says what each does.

import type { Bug, Catcher, Invariant } from "./bug.js"

const commit = "src/coordination/postgres/commit-group.ts"
const cutLeases = "src/coordination/postgres/cut-leases.ts"
const reap = "src/coordination/postgres/reap-leases.ts"
const choose = "src/coordination/choose-range.ts"
const undo = "src/workers/postgres/undo-heights.ts"
const fetch = "src/families/evm/source/fetch-range.ts"
const leaseTest = "src/coordination/postgres/postgres-lease-store.test.ts"
const rollbackTest = "src/rollback/finish-rollback.test.ts"
const ingesterTest = "src/raw/range-ingester.test.ts"
const deriverTest = "src/workers/range-deriver.test.ts"

const simulation = (seeds: number, notices: readonly Invariant[], regression?: string): Catcher => ({
  ...{ by: "simulation", seeds, notices },
  ...(regression !== undefined && { regression }),
})
const chaos = (scenario: string, count: number, notices: RegExp, seed = 1): Catcher => ({
  ...{ by: "chaos", scenario, count, notices, seed },
})

export const bugs: Readonly<Record<string, Bug>> = {
  "zombie-completes": {
    hazard: "H1",
    patches: [
      [
        commit,
        "where (id, epoch) in (select * from unnest($1::int8[], $2::uuid[])) and status = 'ACTIVE'",
        "where id in (select id from unnest($1::int8[], $2::uuid[]) as token (id, epoch))",
      ],
    ],
    caughtBy: simulation(200, ["fence"]),
    test: [leaseTest, "a late commit cannot complete, and a late release cannot fail, the successor's lease"],
  },
  "watermark-jumps": {
    hazard: "H2",
    patches: [
      [
        "src/domain/range-set.ts",
        "return set.find((part) => part.from <= start && start < part.to)?.to ?? start",
        "return set.at(-1)?.to ?? start",
      ],
    ],
    caughtBy: chaos("kills", 3, /I5: \S+ says all is done up to \d+, and it is up to \d+/),
    test: [
      "src/domain/range-set.property.test.ts",
      "the watermark is the first height from the start that is missing, whatever lies above",
    ],
  },
  "gaps-below-overlooked": {
    hazard: "H3",
    patches: [
      [
        choose,
        "  const gap = free[0]\n",
        "  const done = view.heights.at(-1)?.to ?? 0\n  const gap = free.find(({ from }) => from >= done)\n",
      ],
    ],
    caughtBy: simulation(100, ["I9"]),
    test: [
      "src/coordination/choose-range.property.test.ts",
      "whatever is free and gated is claimed sooner or later, so no gap is left behind",
    ],
  },
  "nobody-asks-dependencies": {
    hazard: "H5",
    patches: [
      [choose, "for (const gate of view.gates) free = intersect(free, gate)", "free = intersect(free, free)"],
      [commit, "if (dependencies.length === 0) return\n", "if (dependencies.length >= 0) return\n"],
    ],
    caughtBy: simulation(100, ["I1", "I3"]),
    test: [leaseTest, "a range is claimable only where every dependency covers every height of it"],
  },
  "rolled-back-comes-back": {
    hazard: "H8",
    patches: [
      [commit, "$3::int8) limit 1", "$3::int8) and false limit 1"],
      // The rule behind it: a rollback, which knows what is covered, ends the tokens of all leases it reaches.
      [
        undo,
        "const cut = ledger.cutLeases(tx, { workers, removed })\n",
        "const cut = known ? Promise.resolve(0) : ledger.cutLeases(tx, { workers, removed })\n",
      ],
    ],
    caughtBy: simulation(1_000, ["I1", "I4"]),
    test: [leaseTest, "a rollback after the claim refuses what it reaches and leaves the rest alone"],
  },
  "any-block-will-do": {
    hazard: "H10",
    patches: [
      [
        fetch,
        'if (!isIndexerError(error) || error.action !== "retry" || signal.aborted) throw error\n        problem',
        `if (isIndexerError(error, "RPC_BLOCK_MISSING")) {
          height++
          before = undefined
          continue
        }
        if (!isIndexerError(error) || error.action !== "retry" || signal.aborted) throw error
        problem`,
      ],
      ["src/raw/range-tally.ts", "block.height !== this.last.height + 1", "block.height <= this.last.height"],
    ],
    // Another number of blocks than an undisturbed run has.
    caughtBy: chaos("lies", 500, /^\+ +blocks: \d+,$/m),
    test: [ingesterTest, "a source that leaves a block out in the middle is refused"],
  },
  "raw-rolls-back-first": {
    hazard: "H12",
    patches: [
      [
        "src/rollback/finish-rollback.ts",
        `const removed = await rollbackApp(deps, intent, { unflushed })
  const blocks = await rollbackRaw(deps, intent, removed)`,
        "const blocks = await rollbackRaw(deps, intent, intent)\n  const removed = await rollbackApp(deps, intent)",
      ],
    ],
    caughtBy: simulation(100, ["I4"]),
    test: [
      rollbackTest,
      "is all or nothing in each database wherever its process dies, and any other process finishes it",
    ],
  },
  "coverage-is-a-hull": {
    hazard: "H14",
    patches: [
      [
        commit,
        "heights + int8multirange(int8range($2::int8, $3::int8)), updated_at",
        "int8multirange(range_merge(heights + int8multirange(int8range($2::int8, $3::int8)))), updated_at",
      ],
    ],
    caughtBy: simulation(100, ["I2", "I3"]),
    test: [leaseTest, "only one block dies, its neighbours complete, and the watermark stops in front of it"],
  },
  "commits-twice": {
    hazard: "H18",
    patches: [
      [commit, "if (completed.length !== leases.length) {", "if (completed.length > leases.length) {"],
      [commit, "(parseMultirange(covered), [range]).length > 0", "(parseMultirange(covered), [range]).length < 0"],
    ],
    caughtBy: simulation(200, ["I1", "I2"]),
    test: [leaseTest, "committing again after an answer that got lost doubles nothing"],
  },
  "undo-deletes-state": {
    hazard: "H21",
    patches: [["src/workers/postgres/undo-fold.ts", "found} - x.n", "found} * 0"]],
    // Missing rows, or a rollback that cannot end: heights are undone twice, and the second undo finds too few events.
    caughtBy: chaos(
      "reorgs",
      5,
      /^(ft_tokens|nft_collections|contracts|address_stats) .* ≠ |lack events of the heights/m,
    ),
    test: [
      deriverTest,
      "heights given back are as if never derived, for all who depend on them, and the same again afterwards",
      // A second undo finds too few events and fails.
      /lack events of the heights/,
    ],
  },
  "equal-heights": {
    hazard: "H24",
    patches: [
      [
        "src/workers/postgres/aggregate-sql.ts",
        "`c.p ${direction} nulls last, c.o",
        "`c.p[1] ${direction} nulls last, c.p asc, c.o",
      ],
    ],
    caughtBy: chaos("reorgs", 5, /^nft_ownership: \d+ differences/m, 4),
    test: [
      "src/workers/derive-group.test.ts",
      "count in the order of their logs, whichever is derived last: %s first",
    ],
  },
  "finality-jumps": {
    hazard: "H25",
    patches: [
      [
        "src/coordination/postgres/postgres-chain-record.ts",
        "when finalized_height is null\n           or not exists",
        "when finalized_height is null or finalized_height is not null\n           or not exists",
      ],
    ],
    caughtBy: simulation(100, ["I9"]),
    test: [
      "src/coordination/postgres/postgres-chain-record.test.ts",
      "finality rises over stored blocks only when they are linked to the head, or were compared",
    ],
  },
  "final-from-any-node": {
    hazard: "H25",
    patches: [
      [
        "src/raw/range-ingester.ts",
        "finalTo: state.finalizedHeight ?? undefined",
        "finalTo: range.to - 1 <= (state.finalizedHeight ?? -1) ? state.finalizedHeight! : undefined",
      ],
    ],
    caughtBy: simulation(
      200,
      ["I9"],
      "a node that stands still on a branch that lost gives no final block to the head's first range",
    ),
    test: [ingesterTest, "a range that reaches above finality asks for its final blocks as such"],
  },
  "forks-mixed-in-a-range": {
    hazard: "H26",
    patches: [[fetch, "brokenLink(before, checked.fetched)", "brokenLink(undefined, checked.fetched)"]],
    // Other blocks than an undisturbed run has.
    caughtBy: chaos("lies", 500, /^\+ +blocks: '[0-9a-f]{64}',$/m),
    test: [
      "src/families/evm/source/evm-source.test.ts",
      "batches that mix two forks are asked for again; when the chain stays broken the error has both hashes",
    ],
  },
  "seam-above-unchecked": {
    hazard: "H27",
    patches: [["src/raw/check-seams.ts", "if (seam!.above_covered) {", "if (seam!.above_covered && !seam) {"]],
    caughtBy: chaos("two-branches", 6, /neighbours were stored that do not fit/),
    test: [
      ingesterTest,
      "a range whose parent is not the stored neighbour is refused, from either side, and nothing is deleted",
    ],
  },
  "straddling-lease-dropped": {
    hazard: "H30",
    patches: [
      [cutLeases, "subtract([range], removed)", "subtract([range], removed.length > 0 ? [range] : removed)"],
      // The rule behind it: coverage is kept by height, whatever became of the leases.
      [
        undo,
        'import { countHeights, intersect, type RangeSet, subtract } from "../../domain/range-set.js"',
        `import { countHeights, intersect, type RangeSet, subtract, union } from "../../domain/range-set.js"
import { printMultirange } from "../../postgres/multirange.js"`,
      ],
      [
        undo,
        "  const cut = ledger.cutLeases(",
        `  const { rows: dropped } = await tx.query<{ from_height: string; to_height: string }>(
    \`select from_height, to_height from app.worker_leases
     where worker_type = any ($1) and int8range(from_height, to_height) && $2::int8multirange\`,
    [workers, printMultirange(removed)],
  )
  const leased = dropped.map((row) => ({ from: Number(row.from_height), to: Number(row.to_height) }))
  const whole = union(removed, leased)
  const cut = ledger.cutLeases(`,
      ],
      [undo, "ledger.uncover(tx, { workers, removed })", "ledger.uncover(tx, { workers, removed: whole })"],
    ],
    caughtBy: simulation(100, ["I3", "I5"]),
    test: [rollbackTest, "below a rollback commit as usual; one that straddles is cut and due; those above are gone"],
  },
  "coverage-apart-from-data": {
    hazard: "H35",
    patches: [
      [
        commit,
        "any ($1)`,\n    [workers, range.from, range.to],",
        "any ($1) and false`,\n    [workers, range.from, range.to],",
      ],
    ],
    caughtBy: simulation(100, ["I3"]),
    test: [leaseTest, "a commit makes data and coverage true together"],
  },
  "coverage-of-another-moment": {
    hazard: "H67",
    patches: [
      [
        "src/queries/answer-at-once.ts",
        "if (made.found.scope === known.text) return made.answer()",
        "if (tries < 1) {\n        scopes.note(resource, made.found.scope)\n        return made.answer()\n      }",
      ],
    ],
    // Of pages, cursors, balances and what was just written: which is met first is a matter of time.
    caughtBy: chaos(
      "api-truth",
      4,
      /true of no branch|its coverage|min_height=\d+ (does|was)|a cursor |holds something/,
    ),
    test: [
      "src/queries/answer-at-once.test.ts",
      "what was known before is not believed: not of more, not of less, not of another chain",
    ],
  },
  "cursor-without-epoch": {
    hazard: "H67",
    patches: [["src/queries/cursor.ts", "if (cursor.epoch === epoch) return", "if (cursor.epoch <= epoch) return"]],
    caughtBy: chaos("api-truth", 4, /a cursor above \d+ goes on after a rollback|goes on after \d+ on another branch/),
    test: ["src/api/data-api.test.ts", "over a rolled-back stretch say where to start again; others stay good"],
  },
  "stopped-holder-left": {
    hazard: "H77",
    patches: [
      [cutLeases, "  await endHolders(tables, tx, rows)\n", ""],
      [reap, "  await endHolders(tables, tx, expired)\n", ""],
      [reap, "lease.status = 'ACTIVE' and lease.lease_expires_at <", "false and lease.lease_expires_at <"],
    ],
    caughtBy: simulation(1_000, ["I8", "I9"]),
    test: [
      rollbackTest,
      "a holder that is stopped in its open transaction is ended, and its keys are free",
      // The next holder waits for those keys until its time limit.
      /^IndexerError: The database \S+ refused a transaction because of another one or of a time limit/,
    ],
  },
  "seam-before-the-lock": {
    hazard: "H78",
    patches: [
      [commit, "  await work.check?.(tx)\n", ""],
      [
        commit,
        "  await completeLeases(tables, tx, leases)\n",
        "  await work.check?.(tx)\n  await completeLeases(tables, tx, leases)\n",
      ],
    ],
    caughtBy: chaos("two-branches", 6, /neighbours were stored that do not fit/),
    test: [leaseTest, "of two neighbours in flight the second to commit sees the first"],
  },
  "old-read-after-a-repair": {
    hazard: "H80",
    patches: [
      // A rollback, which knows what is covered, still ends them.
      [
        undo,
        "const cut = ledger.cutLeases(tx, { workers, removed })\n",
        "const cut = known ? ledger.cutLeases(tx, { workers, removed }) : Promise.resolve(0)\n",
      ],
    ],
    caughtBy: simulation(1_000, ["I1"]),
    test: [
      "src/workers/postgres/reopen-heights.test.ts",
      "whoever has read the old rows cannot commit them after they were given back",
    ],
  },
  "cut-keeps-its-token": {
    hazard: "H81",
    patches: [
      [
        cutLeases,
        `set status = 'FAILED', epoch = $2, from_height = $3, to_height = $4, attempt = 0, lease_expires_at = null,
           next_attempt_at = clock_timestamp()`,
        "set epoch = coalesce(epoch, $2), from_height = $3, to_height = $4",
      ],
      // The rules behind it: the commit compares the lease's range, and its epoch with the rollbacks since.
      [commit, "and from_height = $3 and to_height = $4", "and $3::int8 < $4::int8"],
      [commit, "$3::int8) limit 1", "$3::int8) and false limit 1"],
    ],
    caughtBy: simulation(1_000, ["I2", "I4"]),
    test: [rollbackTest, "below a rollback commit as usual; one that straddles is cut and due; those above are gone"],
  },
  "test-and-lock-at-once": {
    hazard: "H82",
    patches: [
      [commit, '  await lockChain(tx, "shared")\n', ""],
      [commit, "  await work.apply?.(tx)\n", '  await lockChain(tx, "shared")\n  await work.apply?.(tx)\n'],
    ],
    caughtBy: simulation(1_000, ["I1", "I4"]),
    test: [leaseTest, "a rollback that commits while a writer waits for the chain lock is seen by that writer"],
  },
}
