// What the checkers of commits say of what was planted, each for everything it can say, and what they have to bear.

import { test } from "vitest"
import type { Committed } from "../model/model-database.js"
import type { Values } from "../model/model-table.js"
import type { Checker, World } from "../world.js"
import { doneWithoutOverlap } from "./i2-done-without-overlap.js"
import { checkpointIsPrefix } from "./i3-checkpoint-is-prefix.js"
import { derivedFromStored } from "./i4-derived-from-stored.js"
import {
  allBut,
  changeEvents,
  committed,
  cover,
  type PlantCommit,
  plantLease,
  remove,
  type Says,
  saysOfCommit,
  usePlantedWorld,
} from "./planted-world.js"

const planted = usePlantedWorld()

type Case = readonly [name: string, checker: Checker, plant: PlantCommit, says: Says]

/** A lease of [8, 10) that was just claimed, beside another that was there. */
const claimed = (world: World, other: Values, own: Values = {}): Committed => {
  plantLease(world, { status: "ACTIVE", from_height: 7, to_height: 9, ...other })
  const row = plantLease(world, { status: "ACTIVE", from_height: 8, to_height: 10, ...own })
  return committed(world, { table: "app.worker_leases", row, after: row.committed })
}

/** The coverage of the worker, as it is now. */
const covered = (world: World, worker = "sim_totals"): Committed => {
  const row = world.app.table("app.coverage").rows.get(worker)!
  return committed(world, { table: "app.coverage", row, before: row.committed, after: row.committed })
}

/** The rows of block 5 as they are now, which were not there before; or the other way round. */
const wrote = (world: World, table: string, way: "written" | "deleted"): Committed => {
  const schema = table.startsWith("raw.") ? world.raw : world.app
  const values = schema.table(table).rows.get(5)!.committed!
  return committed(world, { table, ...(way === "written" ? { after: values } : { before: values }) })
}

const owners = [
  ["raw.blocks", "raw_ingester"],
  ["app.sim_transfers", "sim_transfers"],
  ["app.sim_moves", "sim_holdings"],
] as const

const ofCoordination: readonly Case[] = [
  [
    "I2: two leases that overlap",
    doneWithoutOverlap,
    (world) => claimed(world, {}),
    /^sim_transfers holds \[8, 10\) and \[7, 9\)$/,
  ],
  ["I2: two leases side by side", doneWithoutOverlap, (world) => claimed(world, { to_height: 8 }), undefined],
  [
    "I2: leases of two workers",
    doneWithoutOverlap,
    (world) => claimed(world, { worker_type: "sim_totals" }),
    undefined,
  ],
  [
    "I2: a lease over one that is completed",
    doneWithoutOverlap,
    (world) => claimed(world, { status: "COMPLETED" }),
    undefined,
  ],
  [
    "I2: a lease that is completed over another",
    doneWithoutOverlap,
    (world) => claimed(world, {}, { status: "COMPLETED" }),
    undefined,
  ],
  [
    "I2: a lease over one that nobody else sees yet",
    doneWithoutOverlap,
    (world) => {
      const commit = claimed(world, {})
      for (const row of world.app.table("app.worker_leases").hot)
        if (row.committed?.["from_height"] === 7) row.committed = undefined
      return commit
    },
    undefined,
  ],
  [
    "I2: a lease and a coverage that go",
    doneWithoutOverlap,
    (world) =>
      committed(
        world,
        { table: "app.worker_leases", before: { status: "ACTIVE" } },
        { table: "app.coverage", before: { worker_type: "x" } },
      ),
    undefined,
  ],
  [
    "I2: a block that is done and skipped",
    doneWithoutOverlap,
    (world) => {
      cover(world, "sim_totals", { skipped: [{ from: 5, to: 6 }] })
      return covered(world)
    },
    /^sim_totals has done and skipped the same block$/,
  ],
  [
    "I2: a block that is done and held",
    doneWithoutOverlap,
    (world) => {
      plantLease(world, { worker_type: "sim_totals", status: "ACTIVE" })
      return covered(world)
    },
    /^sim_totals has done \[7, 8\), which is unfinished$/,
  ],
  [
    "I2: a block that is done, and held by another worker",
    doneWithoutOverlap,
    (world) => {
      plantLease(world, { status: "ACTIVE" })
      return covered(world)
    },
    undefined,
  ],
]

const ofRows: readonly Case[] = [
  ...owners.flatMap(([table, worker]): Case[] => {
    const schema = table.startsWith("raw.") ? "raw" : "app"
    const name = table.slice(4)
    return [
      [
        `I3: rows of ${table} in a block that is not covered`,
        checkpointIsPrefix,
        (world) => {
          cover(world, worker, { heights: allBut(world, 5) }, schema)
          return wrote(world, table, "written")
        },
        new RegExp(`^${name} has block 5, coverage says otherwise$`),
      ],
      [
        `I3: rows of ${table} that go from a block that stays covered`,
        checkpointIsPrefix,
        (world) => wrote(world, table, "deleted"),
        new RegExp(`^${name} lacks block 5, coverage says otherwise$`),
      ],
      [
        `I3: rows of ${table} with their coverage`,
        checkpointIsPrefix,
        (world) => wrote(world, table, "written"),
        undefined,
      ],
    ]
  }),
  ...["app.sim_transfers", "app.sim_moves"].map(
    (table): Case => [
      `I4: a row of ${table} stems from another block`,
      derivedFromStored,
      (world) => {
        changeEvents(world, table, { block_hash: "0x1" })
        return wrote(world, table, "written")
      },
      /^block 5 was derived from 0x1, raw has 0x/,
    ],
  ),
  [
    "I4: a row that goes, whatever it stems from",
    derivedFromStored,
    (world) => {
      changeEvents(world, "app.sim_moves", { block_hash: "0x1" })
      return wrote(world, "app.sim_moves", "deleted")
    },
    undefined,
  ],
  [
    "I4: a block that goes from raw before its rows",
    derivedFromStored,
    (world) => wrote(world, "raw.blocks", "deleted"),
    /^block 5 is gone from raw, and sim_transfers still has its rows$/,
  ],
  [
    "I4: a block that goes from raw before some of its rows",
    derivedFromStored,
    (world) => {
      remove(world, "app.sim_transfers", 5)
      return wrote(world, "raw.blocks", "deleted")
    },
    /^block 5 is gone from raw, and sim_moves still has its rows$/,
  ],
  [
    "I4: a block that goes from raw after its rows",
    derivedFromStored,
    (world) => {
      for (const table of ["app.sim_transfers", "app.sim_moves"]) remove(world, table, 5)
      return wrote(world, "raw.blocks", "deleted")
    },
    undefined,
  ],
  ["I4: a block that comes", derivedFromStored, (world) => wrote(world, "raw.blocks", "written"), undefined],
  [
    "I4: a database went back",
    derivedFromStored,
    (world) => {
      world.wentBack = true
      return wrote(world, "raw.blocks", "deleted")
    },
    undefined,
  ],
]

test.each([...ofCoordination, ...ofRows])("%s", (name, checker, plant, says) =>
  saysOfCommit(planted, { name, checker, plant, says }),
)
