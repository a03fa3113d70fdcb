// A watermark falls by a rollback or a person's act, which has to name worker and heights in the same transaction.

import { test } from "vitest"
import type { Committed } from "../model/model-database.js"
import type { Values } from "../model/model-table.js"
import type { World } from "../world.js"
import { watermarkFallsByRollback } from "./i5-watermark-falls-by-rollback.js"
import { type Change, committed, type PlantCommit, type Says, saysOfCommit, usePlantedWorld } from "./planted-world.js"

const planted = usePlantedWorld()

const fallsTo = (world: World, after: Values, ...beside: readonly Change[]): Committed => {
  const row = { worker_type: "sim_totals", heights: [{ from: 0, to: 20 }], skipped: [] }
  return committed(world, { table: "app.coverage", before: row, after: { ...row, ...after } }, ...beside)
}

const by18 = { heights: [{ from: 0, to: 18 }] }

const rollbackFrom = (from: number): Change => ({
  table: "app.rollbacks",
  after: { removed: { from, to: 30 } },
})

const act = (details: Values): Change => ({ table: "app.audit_log", after: { details } })
const gaveBack = { worker_type: "sim_transfers", heights: "{[18,20)}", dependents: ["sim_totals"] }

const lost = /^sim_totals of app lost \[\{"from":18,"to":20\}\] without a rollback$/

const watermarks: readonly [does: string, plant: PlantCommit, says: Says][] = [
  ["falls", (world) => fallsTo(world, by18), lost],
  ["rises", (world) => fallsTo(world, { heights: [{ from: 0, to: 21 }] }), undefined],
  ["falls by a rollback", (world) => fallsTo(world, by18, rollbackFrom(18)), undefined],
  [
    "falls by more than the rollback",
    (world) => fallsTo(world, by18, rollbackFrom(19)),
    /^sim_totals of app lost \[\{"from":18,"to":19\}\] /,
  ],
  ["falls by a person's act on what it depends on", (world) => fallsTo(world, by18, act(gaveBack)), undefined],
  [
    "falls by a person's act on itself",
    (world) => fallsTo(world, by18, act({ ...gaveBack, worker_type: "sim_totals", dependents: [] })),
    undefined,
  ],
  [
    "falls with a person's act on another worker",
    (world) => fallsTo(world, by18, act({ ...gaveBack, dependents: ["sim_holdings"] })),
    lost,
  ],
  [
    "falls with a person's act on other heights",
    (world) => fallsTo(world, by18, act({ ...gaveBack, heights: "{[0,18)}" })),
    lost,
  ],
  [
    "falls with a person's act that gives nothing back",
    (world) => fallsTo(world, by18, act({ worker_type: "sim_totals" })),
    lost,
  ],
  [
    "stays, with blocks that are skipped now",
    (world) => fallsTo(world, { ...by18, skipped: [{ from: 18, to: 20 }] }),
    undefined,
  ],
  [
    "begins",
    (world) => committed(world, { table: "app.coverage", after: { worker_type: "x", heights: [], skipped: [] } }),
    undefined,
  ],
  [
    "ends with its worker",
    (world) =>
      committed(world, {
        table: "app.coverage",
        before: { worker_type: "x", heights: [{ from: 0, to: 1 }], skipped: [] },
      }),
    undefined,
  ],
  [
    "falls with a database that went back",
    (world) => {
      world.wentBack = true
      return fallsTo(world, by18)
    },
    undefined,
  ],
]

test.each(watermarks)("I5: a watermark %s", (_, plant, says) =>
  saysOfCommit(planted, { name: "I5:", checker: watermarkFallsByRollback, plant, says }),
)
