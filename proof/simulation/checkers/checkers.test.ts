// What the checkers of rows, states and coverage say of what was planted, each for everything it can say, and what they have to bear.

import { test } from "vitest"
import type { Checker } from "../world.js"
import { sameAsSequential } from "./i1-same-as-sequential.js"
import { doneWithoutOverlap } from "./i2-done-without-overlap.js"
import { checkpointIsPrefix } from "./i3-checkpoint-is-prefix.js"
import { derivedFromStored } from "./i4-derived-from-stored.js"
import { balancesAddUp } from "./i6-balances-add-up.js"
import {
  allBut,
  change,
  changeEvents,
  changeState,
  cover,
  type Plant,
  plantLease,
  remove,
  type Says,
  saysWhenItLooks,
  usePlantedWorld,
} from "./planted-world.js"

const planted = usePlantedWorld()

const atEnd: readonly [name: string, checker: Checker, plant: Plant, says: Says][] = [
  [
    "I1: raw has another block",
    sameAsSequential,
    (world) => change(world, "raw.blocks", (values) => ({ ...values, block: undefined }), 5),
    /^raw has undefined at 5, not 0x/,
  ],
  [
    "I1: a balance is not what the chain says",
    sameAsSequential,
    (world) => changeState(world, "app.sim_holdings", "balance"),
    /^sim_holdings of \w+: .*, not \[/,
  ],
  [
    "I1: a total is not what the chain says",
    sameAsSequential,
    (world) => changeState(world, "app.sim_totals", "moved"),
    /^sim_totals of \w+: .*, not \[/,
  ],
  [
    "I1: a state of an account that the chain does not know",
    sameAsSequential,
    (world) => world.app.table("app.sim_totals").put({ key: "x", state: { account: "x" } }),
    /^sim_totals of x: .*, not nothing$/,
  ],
  [
    "I1: a state is missing",
    sameAsSequential,
    (world) => remove(world, "app.sim_holdings"),
    /^sim_holdings has \d+ rows, not \d+$/,
  ],
  [
    "I1: the rows of a block are missing",
    sameAsSequential,
    (world) => remove(world, "app.sim_moves", 5),
    /^sim_moves has rows of \d+ blocks, not of \d+$/,
  ],
  [
    "I1: a row is not what the chain says",
    sameAsSequential,
    (world) => changeEvents(world, "app.sim_transfers", { amount: 0 }),
    /^sim_transfers has .* at 5, not /,
  ],
  [
    "I2: a worker has not done a block",
    doneWithoutOverlap,
    (world) => cover(world, "sim_totals", { heights: allBut(world, 5) }),
    /^sim_totals of app lacks 1 of \d+ blocks$/,
  ],
  [
    "I2: raw has not done a block",
    doneWithoutOverlap,
    (world) => cover(world, "raw_ingester", { heights: allBut(world, 5) }, "raw"),
    /^raw_ingester of raw lacks 1 of \d+ blocks$/,
  ],
  [
    "I2: app does not know of a block of raw",
    doneWithoutOverlap,
    (world) => cover(world, "raw_ingester", { heights: allBut(world, 5) }),
    /^raw_ingester of app lacks 1 of \d+ blocks$/,
  ],
  [
    "I2: a block that is skipped is not missing",
    doneWithoutOverlap,
    (world) => cover(world, "sim_totals", { heights: allBut(world, 5), skipped: [{ from: 5, to: 6 }] }),
    undefined,
  ],
  [
    "I2: nor is one that is dead",
    doneWithoutOverlap,
    (world) => {
      plantLease(world, { status: "DEAD" })
      cover(world, "sim_totals", { heights: allBut(world, 7) })
    },
    undefined,
  ],
  [
    "I2: a dead block is no excuse for two",
    doneWithoutOverlap,
    (world) => {
      plantLease(world, { status: "DEAD" })
      cover(world, "sim_totals", { heights: allBut(world, 5, 7) })
    },
    /^sim_totals of app lacks 2/,
  ],
  [
    "I2: a block that failed is no excuse",
    doneWithoutOverlap,
    (world) => {
      plantLease(world, { status: "FAILED" })
      cover(world, "sim_totals", { heights: allBut(world, 7) })
    },
    /^sim_totals of app lacks 1/,
  ],
  ...(["raw", "app"] as const).map((schema): (typeof atEnd)[number] => [
    `I2: a dead block of a worker is no excuse for raw blocks in ${schema}`,
    doneWithoutOverlap,
    (world) => {
      plantLease(world, { status: "DEAD" })
      cover(world, "raw_ingester", { heights: allBut(world, 7) }, schema)
    },
    new RegExp(`^raw_ingester of ${schema} lacks 1`),
  ]),
  [
    "I3: a worker says that it is complete further than its rows",
    checkpointIsPrefix,
    (world) => remove(world, "app.sim_transfers", 5),
    /^sim_transfers says it is complete to \d+, its rows end at 5$/,
  ],
  [
    "I3: a worker does not say how far it is complete",
    checkpointIsPrefix,
    (world) => cover(world, "sim_transfers", { heights: [{ from: 0, to: 5 }] }),
    /^sim_transfers says it is complete to 5, its rows end at \d+$/,
  ],
  // Behind a hole, where no watermark looks.
  ...(
    [
      ["raw.blocks", "raw_ingester", "raw"],
      ["app.sim_transfers", "sim_transfers", "app"],
      ["app.sim_moves", "sim_holdings", "app"],
    ] as const
  ).flatMap(([table, worker, schema]): (typeof atEnd)[number][] => [
    [
      `I3: a covered block has no row in ${table}`,
      checkpointIsPrefix,
      (world) => {
        cover(world, worker, { heights: allBut(world, 5) }, schema)
        for (const height of [5, 9]) remove(world, table, height)
      },
      new RegExp(`^${worker} covers 9 without a row in `),
    ],
    [
      `I3: rows of a block that is not covered in ${table}`,
      checkpointIsPrefix,
      (world) => {
        cover(world, worker, { heights: allBut(world, 5, 9) }, schema)
        remove(world, table, 5)
      },
      new RegExp(` has \\d+ blocks, ${worker} covers \\d+$`),
    ],
  ]),
  [
    "I3: a block that is skipped has no rows, nor what is made of them",
    checkpointIsPrefix,
    (world) => {
      cover(world, "sim_transfers", { heights: allBut(world, 5), skipped: [{ from: 5, to: 6 }] })
      for (const table of ["app.sim_transfers", "app.sim_moves"]) remove(world, table, 5)
    },
    undefined,
  ],
  [
    "I3: and who depends on it may not have come by",
    checkpointIsPrefix,
    (world) => {
      cover(world, "sim_transfers", { heights: allBut(world, 5), skipped: [{ from: 5, to: 6 }] })
      cover(world, "sim_holdings", { heights: allBut(world, 5) })
      for (const table of ["app.sim_transfers", "app.sim_moves"]) remove(world, table, 5)
    },
    undefined,
  ],
  ...["app.sim_transfers", "app.sim_moves"].map((table): (typeof atEnd)[number] => [
    `I4: a row of ${table} stems from another block`,
    derivedFromStored,
    (world) => changeEvents(world, table, { block_hash: "0x1" }),
    /^block 5 was derived from 0x1, raw has 0x/,
  ]),
  [
    "I4: a row stems from a block that is not there",
    derivedFromStored,
    (world) => remove(world, "raw.blocks", 5),
    /^block 5 was derived from 0x\w+, raw has none$/,
  ],
  [
    "I6: a balance too much",
    balancesAddUp,
    (world) => changeState(world, "app.sim_holdings", "balance"),
    /^balances add up to -?\d+, minted less burnt is -?\d+$/,
  ],
]

test.each(atEnd)("%s", (name, checker, plant, says) => saysWhenItLooks(planted, { name, checker, plant, says }))
