// Plants every violation that a checker can report at the end of a run or in samples, and situations that it must accept.

import { expect, test } from "vitest"
import { usualTiming } from "../timing.js"
import { sameAsSequential } from "./i1-same-as-sequential.js"
import { doneWithoutOverlap } from "./i2-done-without-overlap.js"
import { checkpointIsPrefix } from "./i3-checkpoint-is-prefix.js"
import { derivedFromStored } from "./i4-derived-from-stored.js"
import { balancesAddUp } from "./i6-balances-add-up.js"
import { deadArePlanted } from "./i7-dead-are-planted.js"
import { noStaleLease } from "./i8-no-stale-lease.js"
import { unfinished } from "./i9-reaches-the-tip.js"
import {
  addToState,
  all,
  allBut,
  type Case,
  cover,
  lease,
  type Plant,
  poison,
  put,
  remove,
  restoreWorld,
  set,
  setEvents,
  skips5,
  testAtEnd,
  world,
} from "./planted-world.js"

const schemas = ["raw", "app"] as const
const isDead = lease({ status: "DEAD" })
const hasFailed = lease({ status: "FAILED" })

testAtEnd(sameAsSequential, [
  ["raw has another block", set("raw.blocks", { block: undefined }, 5), /^raw has undefined at 5, not 0x/],
  ["a balance is wrong", addToState("app.sim_holdings", "balance"), /^sim_holdings of \w+: .*, not \[/],
  ["a total is wrong", addToState("app.sim_totals", "moved"), /^sim_totals of \w+: .*, not \[/],
  [
    "a state of an account that is not on the chain",
    put("app.sim_totals", { key: "x", state: { account: "x" } }),
    /^sim_totals of x: .*, not nothing$/,
  ],
  ["a state is missing", remove("app.sim_holdings"), /^sim_holdings has \d+ rows, not \d+$/],
  ["the rows of a block are missing", remove("app.sim_moves", 5), /^sim_moves has rows of \d+ blocks, not of \d+$/],
  ["a row is wrong", setEvents("app.sim_transfers", { amount: 0 }), /^sim_transfers has .* at 5, not /],
])

testAtEnd(doneWithoutOverlap, [
  [
    "a worker has not done a block",
    cover("sim_totals", { heights: allBut(5) }),
    /^sim_totals of app lacks 1 of \d+ blocks$/,
  ],
  ...schemas.map((schema): Case => {
    const reports = new RegExp(`^raw_ingester of ${schema} lacks 1 of \\d+ blocks$`)
    return [
      `the coverage of raw in ${schema} lacks a block`,
      cover("raw_ingester", { heights: allBut(5) }, schema),
      reports,
    ]
  }),
  ["a skipped block is not missing", cover("sim_totals", skips5)],
  ["a DEAD block is not missing", all(isDead, cover("sim_totals", { heights: allBut(7) }))],
  [
    "a DEAD block excuses one block only",
    all(isDead, cover("sim_totals", { heights: allBut(5, 7) })),
    /^sim_totals of app lacks 2/,
  ],
  [
    "a FAILED block is missing",
    all(hasFailed, cover("sim_totals", { heights: allBut(7) })),
    /^sim_totals of app lacks 1/,
  ],
  ...schemas.map(
    (schema): Case => [
      `a DEAD block of a worker does not excuse raw blocks in ${schema}`,
      all(isDead, cover("raw_ingester", { heights: allBut(7) }, schema)),
      new RegExp(`^raw_ingester of ${schema} lacks 1`),
    ],
  ),
])

const remove5 = all(remove("app.sim_transfers", 5), remove("app.sim_moves", 5))

testAtEnd(checkpointIsPrefix, [
  [
    "the watermark is above the rows",
    remove("app.sim_transfers", 5),
    /^sim_transfers says it is complete to \d+, its rows end at 5$/,
  ],
  [
    "the watermark is below the rows",
    cover("sim_transfers", { heights: [{ from: 0, to: 5 }] }),
    /^sim_transfers says it is complete to 5, its rows end at \d+$/,
  ],
  // Above a gap, which the watermark does not show.
  ...(
    [
      ["raw.blocks", "raw_ingester", "raw"],
      ["app.sim_transfers", "sim_transfers", "app"],
      ["app.sim_moves", "sim_holdings", "app"],
    ] as const
  ).flatMap(([table, worker, schema]): Case[] => [
    [
      `a covered block has no row in ${table}`,
      all(cover(worker, { heights: allBut(5) }, schema), remove(table, 5), remove(table, 9)),
      new RegExp(`^${worker} covers 9 without a row in `),
    ],
    [
      `rows of an uncovered block in ${table}`,
      all(cover(worker, { heights: allBut(5, 9) }, schema), remove(table, 5)),
      new RegExp(` has \\d+ blocks, ${worker} covers \\d+$`),
    ],
  ]),
  ["a skipped block has no rows, nor any derived from them", all(cover("sim_transfers", skips5), remove5)],
  [
    "a dependent worker may not have done a skipped block yet",
    all(cover("sim_transfers", skips5), cover("sim_holdings", { heights: allBut(5) }), remove5),
  ],
])

testAtEnd(derivedFromStored, [
  ...["app.sim_transfers", "app.sim_moves"].map(
    (table): Case => [
      `a row of ${table} stems from another block`,
      setEvents(table, { block_hash: "0x1" }),
      /^block 5 was derived from 0x1, raw has 0x/,
    ],
  ),
  [
    "a row stems from a block that is not stored",
    remove("raw.blocks", 5),
    /^block 5 was derived from 0x\w+, raw has none$/,
  ],
])

testAtEnd(balancesAddUp, [
  [
    "a balance is too high",
    addToState("app.sim_holdings", "balance"),
    /^balances add up to -?\d+, minted less burnt is -?\d+$/,
  ],
])

testAtEnd(deadArePlanted, [
  ...schemas.map(
    (schema): Case => [
      `a block of ${schema} is DEAD and was not planted`,
      lease({ schema, status: "DEAD" }),
      /^dead: sim_transfers 7; planted: none$/,
    ],
  ),
  ["a FAILED block is not DEAD", hasFailed],
  ["a planted block is not DEAD", poison("sim_transfers"), /^dead: none; planted: sim_transfers 5$/],
])

/** Expired 5 s ago, long after the faults ended. */
const overdue = (values: Record<string, unknown> = {}): Plant =>
  all(lease({ status: "ACTIVE", lease_expires_at: world.scheduler.now - 5_000, ...values }), assign({ healedAt: 0 }))
const assign =
  (values: object): Plant =>
  () =>
    Object.assign(world, values)
const planWith = (values: object): Plant => assign({ plan: { ...world.plan, ...values } })

testAtEnd(noStaleLease, [
  ...schemas.map(
    (schema): Case => [
      `a lease of ${schema} is held long after its expiry`,
      overdue({ schema }),
      /^a lease of sim_transfers ended 5000 ms ago and is held by p0\.0$/,
    ],
  ),
  ["a lease that is not held", overdue({ status: "FAILED" })],
  ["the reaper has not run since the expiry", overdue({ lease_expires_at: world.scheduler.now - 3_000 })],
  ["the reaper runs less often", all(overdue(), planWith({ timing: { ...usualTiming, reapMs: 6_000 } }))],
  ["faults still happen", all(overdue(), assign({ healed: false }))],
  ["faults ended a moment ago", all(overdue(), assign({ healedAt: world.scheduler.now - 1_000 }))],
  ["the reaper waits for a process that a crash silenced", all(overdue(), planWith({ crashes: [{ silent: true }] }))],
  [
    "the reaper waits for a process that an ambush silenced",
    all(overdue(), planWith({ ambushes: [{ act: "silence" }] })),
  ],
])

const dead5 = (values: Record<string, unknown>): Plant =>
  lease({ worker_type: "sim_holdings", status: "DEAD", from_height: 5, to_height: 6, ...values })

/** Only totals depends on holdings. */
const poisonHoldings = all(
  poison("sim_holdings"),
  cover("sim_holdings", { heights: allBut(5) }),
  cover("sim_totals", { heights: allBut(5) }),
)
const notDead = /^block 5, which sim_holdings cannot take, is not DEAD$/
const { length } = world.chain.blocks

const unfinishedCases: readonly Case[] = [
  ["a rollback is open", set("raw.chain_state", { intent_id: "x" }), /^a rollback is open$/],
  ["the head is missing", remove("raw.blocks", length - 1), /^raw has \d+ of \d+ blocks, and no head$/],
  ["a block above the head", put("raw.blocks", { height: length }), /^raw has \d+ of \d+ blocks, and 0x/],
  [
    "raw does not cover a block",
    cover("raw_ingester", { heights: allBut(5) }, "raw"),
    /^raw covers \d+ of \d+ blocks$/,
  ],
  [
    "a worker has not done all blocks",
    cover("sim_totals", { heights: [{ from: 0, to: 5 }] }),
    /^sim_totals has 5 of \d+ blocks$/,
  ],
  ["a skipped block is done", cover("sim_totals", skips5)],
  [
    "a worker has done a block that it cannot process",
    poison("sim_transfers"),
    /^sim_transfers has (\d+) of (?!\1)\d+ blocks$/,
  ],
  ["a block that a worker cannot process has no lease", poisonHoldings, notDead],
  ...[{ worker_type: "sim_totals" }, { from_height: 4 }, { status: "FAILED" }].map(
    (values): Case => [
      `the lease of such a block has ${JSON.stringify(values)}`,
      all(poisonHoldings, dead5(values)),
      notDead,
    ],
  ),
  [
    "a dependent waits for a block that a worker cannot process",
    all(poisonHoldings, dead5({}), dead5({ worker_type: "sim_totals", status: "FAILED" })),
  ],
  ...schemas.map(
    (schema): Case => [
      `a lease of ${schema} is FAILED`,
      lease({ schema, status: "FAILED" }),
      /^sim_transfers has \[7, 8\) FAILED, attempt 1, of \d+$/,
    ],
  ),
  ["a lease above the head is FAILED", lease({ status: "FAILED", from_height: length })],
  [
    "a lease above the head is held",
    lease({ status: "ACTIVE", from_height: length }),
    /^sim_transfers has \[\d+, 8\) ACTIVE/,
  ],
]

for (const [name, plant, reports] of unfinishedCases)
  test(`I9: ${name}`, () => {
    restoreWorld()
    expect(unfinished(world)).toBeUndefined()
    plant()
    if (reports) expect(unfinished(world)).toMatch(reports)
    else expect(unfinished(world)).toBeUndefined()
  })
