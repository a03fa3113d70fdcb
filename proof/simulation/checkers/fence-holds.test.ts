// A lease is completed by its holder; whoever else does it is named.

import { test } from "vitest"
import type { Committed } from "../model/model-database.js"
import type { Values } from "../model/model-table.js"
import type { World } from "../world.js"
import { fenceHolds } from "./fence-holds.js"
import { committed, type PlantCommit, type Says, saysOfCommit, usePlantedWorld } from "./planted-world.js"

const planted = usePlantedWorld()

const completed = (world: World, before: Values, after: Values = { status: "COMPLETED" }): Committed => {
  const lease = { id: 1, worker_type: "sim_totals" }
  return committed(world, {
    table: "app.worker_leases",
    before: { ...lease, ...before },
    after: { ...lease, ...after },
  })
}

const leases: readonly [name: string, plant: PlantCommit, says: Says][] = [
  [
    "a lease that is completed by somebody else than its holder",
    (world) => completed(world, { status: "ACTIVE", leased_by: "p1.0" }),
    /^p0\.0 completed a lease of sim_totals that is ACTIVE and held by p1\.0$/,
  ],
  [
    "a lease that is completed by who held it once",
    (world) => completed(world, { status: "FAILED", leased_by: "p0.0" }),
    /^p0\.0 completed a lease of sim_totals that is FAILED and held by p0\.0$/,
  ],
  [
    "a lease that is completed by its holder",
    (world) => completed(world, { status: "ACTIVE", leased_by: "p0.0" }),
    undefined,
  ],
  [
    "a lease that was completed before",
    (world) => completed(world, { status: "COMPLETED", leased_by: "p1.0" }),
    undefined,
  ],
  [
    "a lease that is not completed",
    (world) => completed(world, { status: "ACTIVE", leased_by: "p1.0" }, { status: "FAILED" }),
    undefined,
  ],
  [
    "a lease that was never held",
    (world) => committed(world, { table: "app.worker_leases", after: { status: "COMPLETED" } }),
    undefined,
  ],
]

test.each(leases)("fence: %s", (_, plant, says) =>
  saysOfCommit(planted, { name: "fence:", checker: fenceHolds, plant, says }),
)
