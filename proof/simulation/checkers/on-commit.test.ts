// Plants every violation that a checker can report of a commit, and situations that it must accept.

import type { Committed } from "../model/model-database.js"
import type { Values } from "../model/model-table.js"
import { fenceHolds } from "./fence-holds.js"
import { headInOrder } from "./head-in-order.js"
import { doneWithoutOverlap } from "./i2-done-without-overlap.js"
import { checkpointIsPrefix } from "./i3-checkpoint-is-prefix.js"
import { derivedFromStored } from "./i4-derived-from-stored.js"
import { watermarkFallsByRollback } from "./i5-watermark-falls-by-rollback.js"
import {
  all,
  allBut,
  type Case,
  type Change,
  committed,
  cover,
  lease,
  type Plant,
  remove,
  set,
  setEvents,
  skips5,
  testOnCommit,
  world,
} from "./planted-world.js"

type CommitCase = Case<Committed>
type PlantCommit = Plant<Committed>

const wentBack: Plant = () => {
  world.wentBack = true
}

/** Claims [8, 10) beside another lease, [7, 9) by default. */
const claimed =
  (other: Values, own: Values = {}): PlantCommit =>
  () => {
    lease({ status: "ACTIVE", from_height: 7, to_height: 9, ...other })()
    const row = lease({ status: "ACTIVE", from_height: 8, to_height: 10, ...own })()
    return committed({ table: "app.worker_leases", row, after: row.committed })
  }

/** The other lease of a claim is not committed yet. */
const uncommitted =
  (claim: PlantCommit): PlantCommit =>
  () => {
    const commit = claim()
    for (const row of world.app.table("app.worker_leases").hot)
      if (row.committed?.["from_height"] === 7) row.committed = undefined
    return commit
  }

/** Writes the coverage of sim_totals as it is. */
const covered: PlantCommit = () => {
  const row = world.app.table("app.coverage").rows.get("sim_totals")!
  return committed({ table: "app.coverage", row, before: row.committed, after: row.committed })
}

testOnCommit(doneWithoutOverlap, [
  ["two leases overlap", claimed({}), /^sim_transfers holds \[8, 10\) and \[7, 9\)$/],
  ["two leases are adjacent", claimed({ to_height: 8 })],
  ["the leases of two workers overlap", claimed({ worker_type: "sim_totals" })],
  ["a lease overlaps a completed one", claimed({ status: "COMPLETED" })],
  ["a completed lease overlaps another", claimed({}, { status: "COMPLETED" })],
  ["a lease overlaps one that is not committed", uncommitted(claimed({}))],
  [
    "a lease and a coverage row are deleted",
    () =>
      committed(
        { table: "app.worker_leases", before: { status: "ACTIVE" } },
        { table: "app.coverage", before: { worker_type: "x" } },
      ),
  ],
  [
    "a block is done and skipped",
    all(cover("sim_totals", { skipped: skips5.skipped }), covered),
    /^sim_totals has done and skipped the same block$/,
  ],
  [
    "a block is done and held",
    all(lease({ worker_type: "sim_totals", status: "ACTIVE" }), covered),
    /^sim_totals has done \[7, 8\), which is unfinished$/,
  ],
  ["a block is done, and held by another worker", all(lease({ status: "ACTIVE" }), covered)],
])

const rowsOf5 = (table: string): Values =>
  (table.startsWith("raw.") ? world.raw : world.app).table(table).rows.get(5)!.committed!
const writes =
  (table: string): PlantCommit =>
  () =>
    committed({ table, after: rowsOf5(table) })
const deletes =
  (table: string): PlantCommit =>
  () =>
    committed({ table, before: rowsOf5(table) })

testOnCommit(
  checkpointIsPrefix,
  (
    [
      ["raw", "blocks", "raw_ingester"],
      ["app", "sim_transfers", "sim_transfers"],
      ["app", "sim_moves", "sim_holdings"],
    ] as const
  ).flatMap(([schema, name, worker]): CommitCase[] => {
    const table = `${schema}.${name}`
    return [
      [
        `rows of ${table} are written in an uncovered block`,
        all(cover(worker, { heights: allBut(5) }, schema), writes(table)),
        new RegExp(`^${name} has block 5, coverage says otherwise$`),
      ],
      [
        `rows of ${table} are deleted from a covered block`,
        deletes(table),
        new RegExp(`^${name} lacks block 5, coverage says otherwise$`),
      ],
      [`rows of ${table} are written with their coverage`, writes(table)],
    ]
  }),
)

testOnCommit(derivedFromStored, [
  ...["app.sim_transfers", "app.sim_moves"].map(
    (table): CommitCase => [
      `a row of ${table} stems from another block`,
      all(setEvents(table, { block_hash: "0x1" }), writes(table)),
      /^block 5 was derived from 0x1, raw has 0x/,
    ],
  ),
  [
    "a row of another block is deleted",
    all(setEvents("app.sim_moves", { block_hash: "0x1" }), deletes("app.sim_moves")),
  ],
  [
    "a raw block is deleted before its rows",
    deletes("raw.blocks"),
    /^block 5 is gone from raw, and sim_transfers still has its rows$/,
  ],
  [
    "a raw block is deleted before some of its rows",
    all(remove("app.sim_transfers", 5), deletes("raw.blocks")),
    /^block 5 is gone from raw, and sim_moves still has its rows$/,
  ],
  [
    "a raw block is deleted after its rows",
    all(remove("app.sim_transfers", 5), remove("app.sim_moves", 5), deletes("raw.blocks")),
  ],
  ["a raw block is written", writes("raw.blocks")],
  ["a database went back", all(wentBack, deletes("raw.blocks"))],
])

const full = { worker_type: "sim_totals", heights: [{ from: 0, to: 20 }], skipped: [] }
const to18 = { heights: [{ from: 0, to: 18 }] }
const becomes =
  (after: Values, ...beside: readonly Change[]): PlantCommit =>
  () =>
    committed({ table: "app.coverage", before: full, after: { ...full, ...after } }, ...beside)
const rollbackFrom = (from: number): Change => ({ table: "app.rollbacks", after: { removed: { from, to: 30 } } })
const act = (details: Values): Change => ({ table: "app.audit_log", after: { details } })
const reopened = { worker_type: "sim_transfers", heights: "{[18,20)}", dependents: ["sim_totals"] }
const lost = /^sim_totals of app lost \[\{"from":18,"to":20\}\] without a rollback$/

testOnCommit(watermarkFallsByRollback, [
  ["a watermark falls", becomes(to18), lost],
  ["a watermark rises", becomes({ heights: [{ from: 0, to: 21 }] })],
  ["a watermark falls by a rollback", becomes(to18, rollbackFrom(18))],
  [
    "a watermark falls by more than the rollback",
    becomes(to18, rollbackFrom(19)),
    /^sim_totals of app lost \[\{"from":18,"to":19\}\] /,
  ],
  ["a watermark falls by an operator's act on a dependency", becomes(to18, act(reopened))],
  [
    "a watermark falls by an operator's act on its worker",
    becomes(to18, act({ ...reopened, worker_type: "sim_totals", dependents: [] })),
  ],
  [
    "a watermark falls with an operator's act on another worker",
    becomes(to18, act({ ...reopened, dependents: ["sim_holdings"] })),
    lost,
  ],
  [
    "a watermark falls with an operator's act on other heights",
    becomes(to18, act({ ...reopened, heights: "{[0,18)}" })),
    lost,
  ],
  [
    "a watermark falls with an operator's act that reopens nothing",
    becomes(to18, act({ worker_type: "sim_totals" })),
    lost,
  ],
  ["a watermark stays because blocks are skipped now", becomes({ ...to18, skipped: [{ from: 18, to: 20 }] })],
  [
    "a coverage row is inserted",
    () => committed({ table: "app.coverage", after: { worker_type: "x", heights: [], skipped: [] } }),
  ],
  ["a coverage row is deleted", () => committed({ table: "app.coverage", before: full })],
  ["a watermark falls with a database that went back", all(wentBack, becomes(to18))],
])

const completed =
  (before: Values, after: Values = { status: "COMPLETED" }): PlantCommit =>
  () => {
    const row = { id: 1, worker_type: "sim_totals" }
    return committed({ table: "app.worker_leases", before: { ...row, ...before }, after: { ...row, ...after } })
  }

testOnCommit(fenceHolds, [
  [
    "a lease is completed by a process that does not hold it",
    completed({ status: "ACTIVE", leased_by: "p1.0" }),
    /^p0\.0 completed a lease of sim_totals that is ACTIVE and held by p1\.0$/,
  ],
  [
    "a lease is completed by its former holder",
    completed({ status: "FAILED", leased_by: "p0.0" }),
    /^p0\.0 completed a lease of sim_totals that is FAILED and held by p0\.0$/,
  ],
  ["a lease is completed by its holder", completed({ status: "ACTIVE", leased_by: "p0.0" })],
  ["a lease was completed before", completed({ status: "COMPLETED", leased_by: "p1.0" })],
  ["a lease is not completed", completed({ status: "ACTIVE", leased_by: "p1.0" }, { status: "FAILED" })],
  ["a lease was never held", () => committed({ table: "app.worker_leases", after: { status: "COMPLETED" } })],
])

/** With finality at 10, claims [16, 20) of raw beside another lease, [8, 16) by default. */
const claimsHead =
  (other: Values, { before, ...own }: Values = {}): PlantCommit =>
  () => {
    const raw = { schema: "raw", worker_type: "raw_ingester", status: "ACTIVE" }
    set("raw.chain_state", { finalized_height: 10 })()
    lease({ ...raw, from_height: 8, to_height: 16, ...other })()
    const row = lease({ ...raw, from_height: 16, to_height: 20, ...own })()
    return committed({ table: "raw.worker_leases", row, before: before as Values, after: row.committed })
  }

testOnCommit(headInOrder, [
  [
    "the head passes a range that begins below finality",
    claimsHead({}),
    /^the head claims \[16, 20\) above the unfinished \[8, 16\)$/,
  ],
  [
    "the head passes a failed range",
    claimsHead({ from_height: 12, status: "FAILED" }),
    /^the head claims \[16, 20\) above the unfinished \[12, 16\)$/,
  ],
  ["the head passes a failing block", claimsHead({ from_height: 15, status: "FAILED" })],
  ["a range of history is unfinished", claimsHead({ from_height: 5, to_height: 10 })],
  ["a range above is unfinished", claimsHead({ from_height: 20, to_height: 22 })],
  ["a range is done", claimsHead({ status: "COMPLETED" })],
  ["a range of history is claimed", claimsHead({ from_height: 0, to_height: 2 }, { from_height: 4, to_height: 8 })],
  ["a range is not claimed", claimsHead({}, { status: "FAILED" })],
  ["a failed range is retried", claimsHead({}, { before: { status: "FAILED" } })],
  ["a worker claims", claimed({ to_height: 8 })],
])
