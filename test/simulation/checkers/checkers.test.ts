// Each checker speaks up when what it is for is planted, and before that it does not.

import { beforeAll, expect, test } from "vitest"
import { openLaboratory } from "../laboratory.js"
import type { Committed } from "../model/model-database.js"
import type { Values } from "../model/model-table.js"
import { planOf } from "../plan.js"
import { simulate } from "../simulate.js"
import type { Checker, World } from "../world.js"
import { fenceHolds } from "./fence-holds.js"
import { sameAsSequential } from "./i1-same-as-sequential.js"
import { doneWithoutOverlap } from "./i2-done-without-overlap.js"
import { checkpointIsPrefix } from "./i3-checkpoint-is-prefix.js"
import { derivedFromStored } from "./i4-derived-from-stored.js"
import { watermarkFallsByRollback } from "./i5-watermark-falls-by-rollback.js"
import { balancesAddUp } from "./i6-balances-add-up.js"
import { deadArePlanted } from "./i7-dead-are-planted.js"
import { noStaleLease } from "./i8-no-stale-lease.js"
import { unfinished } from "./i9-reaches-the-tip.js"

let laboratory: Awaited<ReturnType<typeof openLaboratory>>
beforeAll(async () => {
  laboratory = await openLaboratory()
})

/** A run that went well, to its end. */
async function worldAtEnd(): Promise<World> {
  let world: World | undefined
  await simulate(laboratory, { ...planOf(3), poisons: [] }, { atEnd: (seen) => (world = seen) })
  expect(world!.violation).toBeUndefined()
  return world!
}

/** The row with that key, or the first. */
function change(
  world: World,
  table: string,
  made: (values: Values) => Values | undefined,
  key?: number,
): void {
  const { rows } = world[table.startsWith("raw.") ? "raw" : "app"].table(table)
  const row = key === undefined ? [...rows.values()].find(({ committed }) => committed)! : rows.get(key)!
  row.committed = made(row.committed!)
}

const wrongBalance = (world: World): void =>
  change(world, "app.sim_holdings", ({ state, ...rest }) => ({
    ...rest,
    state: { ...(state as Values), balance: ((state as Values)["balance"] as number) + 1 },
  }))

const leaseOf = (world: World, values: Values): void =>
  world.app.table("app.worker_leases").put({
    ...{ id: "999", worker_type: "sim_transfers", from_height: 7, to_height: 8, attempt: 1, epoch: "e" },
    ...{ leased_by: "p0.0", lease_expires_at: 0, ...values },
  })

const covers = (world: World, worker: string, heights: readonly { from: number; to: number }[]): void => {
  const row = world.app.table("app.coverage").rows.get(worker)!
  row.committed = { ...row.committed!, heights }
}

const atEnd: readonly [name: string, checker: Checker, plant: (world: World) => void][] = [
  ["I1: a balance is not what the chain says", sameAsSequential, wrongBalance],
  [
    "I1: raw has another block",
    sameAsSequential,
    (world) => change(world, "raw.blocks", (values) => ({ ...values, block: undefined }), 5),
  ],
  ["I2: a block is not done", doneWithoutOverlap, (world) => covers(world, "sim_totals", [])],
  [
    "I3: a covered block has no row",
    checkpointIsPrefix,
    (world) => change(world, "app.sim_transfers", () => undefined, 5),
  ],
  [
    "I3: rows of a block that is not covered",
    checkpointIsPrefix,
    (world) => covers(world, "sim_transfers", [{ from: 0, to: 5 }]),
  ],
  [
    "I4: a row stems from another block",
    derivedFromStored,
    (world) => change(world, "app.sim_moves", (values) => ({ ...values, rows: [{ block_hash: "0x1" }] }), 5),
  ],
  ["I6: a balance too much", balancesAddUp, wrongBalance],
  ["I7: a dead block that nobody planted", deadArePlanted, (world) => leaseOf(world, { status: "DEAD" })],
  [
    "I7: a planted block that is not dead",
    deadArePlanted,
    (world) => void Object.assign(world.chain.blocks[5]!, { poison: "sim_transfers" }),
  ],
  [
    "I8: a lease held long after its time",
    noStaleLease,
    (world) => {
      leaseOf(world, { status: "ACTIVE" })
      world.healedAt = 0
    },
  ],
]

test.each(atEnd)("%s", async (name, checker, plant) => {
  const world = await worldAtEnd()
  checker.atEnd!(world)
  expect(world.violation).toBeUndefined()
  plant(world)
  checker.atEnd!(world)
  expect(world.violation?.invariant).toBe(name.slice(0, 2))
})

interface Change {
  readonly before?: Values
  readonly after?: Values
}

/** A transaction of a process in app that changed these rows of one table. */
const committed = (world: World, table: string, ...changes: readonly Change[]): Committed =>
  ({
    database: world.app,
    connection: { host: { name: "p0.0" } },
    of: (name: string) => (name === table ? changes.map((one) => ({ ...one, row: {} })) : []),
  }) as unknown as Committed

const coverage = (to: number): Values => ({
  worker_type: "sim_totals",
  heights: [{ from: 0, to }],
  skipped: [],
})

test("I5: a watermark that falls without a rollback", async () => {
  const world = await worldAtEnd()
  const check = (before: number, after: number): void =>
    watermarkFallsByRollback.onCommit!(
      world,
      committed(world, "coverage", { before: coverage(before), after: coverage(after) }),
    )
  check(10, 20)
  expect(world.violation).toBeUndefined()
  check(20, 19)
  expect(world.violation?.invariant).toBe("I5")
})

test("fence: a lease that is completed by somebody else than its holder", async () => {
  const world = await worldAtEnd()
  const check = (holder: string): void =>
    fenceHolds.onCommit!(
      world,
      committed(world, "worker_leases", {
        before: { status: "ACTIVE", leased_by: holder },
        after: { status: "COMPLETED" },
      }),
    )
  check("p0.0")
  expect(world.violation).toBeUndefined()
  check("p1.0")
  expect(world.violation?.invariant).toBe("fence")
})

test("I9: a block that is not done", async () => {
  const world = await worldAtEnd()
  expect(unfinished(world)).toBeUndefined()
  covers(world, "sim_totals", [{ from: 0, to: 5 }])
  expect(unfinished(world)).toMatch(/^sim_totals has 5 of/)
})
