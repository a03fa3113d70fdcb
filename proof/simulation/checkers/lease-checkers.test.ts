// What the checkers of leases and of the end of a run say of what was planted, and what they have to bear.

import { expect, test } from "vitest"
import { usualTiming } from "../timing.js"
import type { Checker, World } from "../world.js"
import { deadArePlanted } from "./i7-dead-are-planted.js"
import { noStaleLease } from "./i8-no-stale-lease.js"
import { unfinished } from "./i9-reaches-the-tip.js"
import {
  allBut,
  change,
  cover,
  type Plant,
  plantLease,
  poison,
  remove,
  type Says,
  saysWhenItLooks,
  usePlantedWorld,
} from "./planted-world.js"

const planted = usePlantedWorld()

const atEnd: readonly [name: string, checker: Checker, plant: Plant, says: Says][] = [
  ...(["raw", "app"] as const).map((schema): (typeof atEnd)[number] => [
    `I7: a dead block of ${schema} that nobody planted`,
    deadArePlanted,
    (world) => plantLease(world, { schema, status: "DEAD" }),
    /^dead: sim_transfers 7; planted: none$/,
  ]),
  [
    "I7: a block that failed is not dead",
    deadArePlanted,
    (world) => plantLease(world, { status: "FAILED" }),
    undefined,
  ],
  [
    "I7: a planted block that is not dead",
    deadArePlanted,
    (world) => poison(world, "sim_transfers"),
    /^dead: none; planted: sim_transfers 5$/,
  ],
  ...(["raw", "app"] as const).map((schema): (typeof atEnd)[number] => [
    `I8: a lease of ${schema} that is held long after its time`,
    noStaleLease,
    (world) => overdue(world, { schema }),
    /^a lease of sim_transfers ended 5000 ms ago and is held by p0\.0$/,
  ]),
  ["I8: a lease that is nobody's", noStaleLease, (world) => overdue(world, { status: "FAILED" }), undefined],
  [
    "I8: a lease that the reaper has not come by for yet",
    noStaleLease,
    (world) => overdue(world, { lease_expires_at: world.scheduler.now - 3_000 }),
    undefined,
  ],
  [
    "I8: a lease that the reaper comes by for less often",
    noStaleLease,
    (world) => {
      overdue(world, {})
      Object.assign(world, { plan: { ...world.plan, timing: { ...usualTiming, reapMs: 6_000 } } })
    },
    undefined,
  ],
  [
    "I8: things still go wrong",
    noStaleLease,
    (world) => {
      overdue(world, {})
      world.healed = false
    },
    undefined,
  ],
  [
    "I8: things went wrong until a moment ago",
    noStaleLease,
    (world) => {
      overdue(world, {})
      world.healedAt = world.scheduler.now - 1_000
    },
    undefined,
  ],
  ...(
    [
      ["crash", { crashes: [{ silent: true }] }],
      ["ambush", { ambushes: [{ act: "silence" }] }],
    ] as const
  ).map(([what, faults]): (typeof atEnd)[number] => [
    `I8: somebody fell silent in a ${what}, whom the reaper waits for`,
    noStaleLease,
    (world) => {
      overdue(world, {})
      Object.assign(world, { plan: { ...world.plan, ...faults } })
    },
    undefined,
  ]),
]

/** Five seconds, where everything has healed before. */
function overdue(world: World, values: Record<string, unknown>): void {
  plantLease(world, { status: "ACTIVE", lease_expires_at: world.scheduler.now - 5_000, ...values })
  world.healedAt = 0
}

test.each(atEnd)("%s", (name, checker, plant, says) => saysWhenItLooks(planted, { name, checker, plant, says }))

const isDead = (world: World, values: Record<string, unknown> = {}): unknown =>
  plantLease(world, { status: "DEAD", from_height: 5, to_height: 6, ...values })

/** Of a worker that nothing but totals depends on. */
const poisonHoldings = (world: World): void => {
  poison(world, "sim_holdings")
  for (const worker of ["sim_holdings", "sim_totals"]) cover(world, worker, { heights: allBut(world, 5) })
}

const left: readonly [name: string, plant: Plant, says: Says][] = [
  [
    "a rollback that is open",
    (world) => change(world, "raw.chain_state", (values) => ({ ...values, intent_id: "x" })),
    /^a rollback is open$/,
  ],
  [
    "a head that is not there",
    (world) => remove(world, "raw.blocks", world.chain.blocks.length - 1),
    /^raw has \d+ of \d+ blocks, and no head$/,
  ],
  [
    "a block above the head",
    ({ raw, chain }) => raw.table("raw.blocks").put({ height: chain.blocks.length }),
    /^raw has \d+ of \d+ blocks, and 0x/,
  ],
  [
    "a block that raw does not cover",
    (world) => cover(world, "raw_ingester", { heights: allBut(world, 5) }, "raw"),
    /^raw covers \d+ of \d+ blocks$/,
  ],
  [
    "a block that is not done",
    (world) => cover(world, "sim_totals", { heights: [{ from: 0, to: 5 }] }),
    /^sim_totals has 5 of \d+ blocks$/,
  ],
  [
    "a skipped block is done",
    (world) => cover(world, "sim_totals", { heights: allBut(world, 5), skipped: [{ from: 5, to: 6 }] }),
    undefined,
  ],
  [
    "a block that a worker cannot take, and did",
    (world) => poison(world, "sim_transfers"),
    /^sim_transfers has (\d+) of (?!\1)\d+ blocks$/,
  ],
  [
    "a block that a worker cannot take, and nobody tried",
    poisonHoldings,
    /^block 5, which sim_holdings cannot take, is not DEAD$/,
  ],
  ...[{ worker_type: "sim_totals" }, { from_height: 4 }, { status: "FAILED" }].map((values): (typeof left)[number] => [
    `and what is there is ${JSON.stringify(values)}`,
    (world) => {
      poisonHoldings(world)
      isDead(world, { worker_type: "sim_holdings", ...values })
    },
    /^block 5, which sim_holdings cannot take, is not DEAD$/,
  ]),
  [
    "a block that a worker cannot take, and one that waits for it",
    (world) => {
      poisonHoldings(world)
      isDead(world, { worker_type: "sim_holdings" })
      isDead(world, { worker_type: "sim_totals", status: "FAILED" })
    },
    undefined,
  ],
  ...(["raw", "app"] as const).map((schema): (typeof left)[number] => [
    `a lease of ${schema} that failed`,
    (world) => plantLease(world, { schema, status: "FAILED" }),
    /^sim_transfers has \[7, 8\) FAILED, attempt 1, of \d+$/,
  ]),
  [
    "a lease that failed above the head",
    (world) => plantLease(world, { status: "FAILED", from_height: world.chain.blocks.length }),
    undefined,
  ],
  [
    "a lease that is held above the head",
    (world) => plantLease(world, { status: "ACTIVE", from_height: world.chain.blocks.length }),
    /^sim_transfers has \[\d+, 8\) ACTIVE/,
  ],
]

test.each(left)("I9: %s", (_, plant, says) => {
  const { world } = planted
  expect(unfinished(world)).toBeUndefined()
  plant(world)
  if (says) expect(unfinished(world)).toMatch(says)
  else expect(unfinished(world)).toBeUndefined()
})
