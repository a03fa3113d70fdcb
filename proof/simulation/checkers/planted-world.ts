// The end of a run that went well, to plant things in. Put back as it was for each plant: a run takes longer than all of them.

import { beforeAll, beforeEach, expect } from "vitest"
import type { RangeSet } from "../../../src/domain/range-set.js"
import { openLaboratory } from "../laboratory.js"
import type { ModelConnection } from "../model/model-connection.js"
import { Committed, type ModelBackup, type ModelDatabase } from "../model/model-database.js"
import { ModelRow, type Values } from "../model/model-table.js"
import { type Plan, planOf } from "../plan.js"
import { simulate } from "../simulate.js"
import type { Checker, World } from "../world.js"

export interface PlantedWorld {
  readonly world: World
  putBack(): void
}

/** One for all tests of a file, put back before each. */
export function usePlantedWorld(): PlantedWorld {
  let opened: PlantedWorld
  beforeAll(async () => {
    opened = await openPlantedWorld()
  })
  beforeEach(() => opened.putBack())
  return {
    get world() {
      return opened.world
    },
    putBack: () => opened.putBack(),
  }
}

async function openPlantedWorld(): Promise<PlantedWorld> {
  let seen: World | undefined
  // Nobody falls silent in it, so that leases have their usual time.
  const plan: Plan = { ...planOf(3), poisons: [], crashes: [], ambushes: [] }
  await simulate(await openLaboratory(), plan, { atEnd: (world) => (seen = world) })
  const world = seen!
  if (world.violation) throw new Error(world.violation.message)
  const backups = [world.raw, world.app].map((database) => [database, database.backup()] as const)
  const { wentBack, healed, healedAt } = world
  const { blocks } = world.chain
  return {
    world,
    putBack: () => {
      for (const [database, backup] of backups) putBack(database, backup)
      Object.assign(world, { plan, wentBack, healed, healedAt, violation: undefined })
      world.chain.blocks = blocks
    },
  }
}

function putBack(database: ModelDatabase, { tables }: ModelBackup): void {
  for (const [name, { rows }] of tables) {
    const table = database.table(name)
    table.rows.clear()
    table.hot.clear()
    for (const row of rows) table.put(row)
  }
}

const databaseOf = (world: World, table: string): ModelDatabase => (table.startsWith("raw.") ? world.raw : world.app)

/** The row with that key, or the first. */
export function change(
  world: World,
  table: string,
  made: (values: Values) => Values | undefined,
  key?: number | string,
): void {
  const { rows } = databaseOf(world, table).table(table)
  const row = key === undefined ? [...rows.values()].find(({ committed }) => committed)! : rows.get(key)!
  row.committed = made(row.committed!)
}

export const remove = (world: World, table: string, key?: number): void => change(world, table, () => undefined, key)

/** One of many rows of a block. */
export const changeEvents = (world: World, table: string, values: Values): void =>
  change(
    world,
    table,
    ({ rows, ...rest }) => ({ ...rest, rows: (rows as Values[]).map((row) => ({ ...row, ...values })) }),
    5,
  )

/** The number in a state, one more. */
export const changeState = (world: World, table: string, column: string): void =>
  change(world, table, ({ state, ...rest }) => {
    const values = state as Values
    return { ...rest, state: { ...values, [column]: (values[column] as number) + 1 } }
  })

/** Unless told otherwise of block 7, long over, and held by nobody who is alive. */
export function plantLease(world: World, { schema = "app", ...values }: Values): ModelRow {
  const table = databaseOf(world, `${schema}.`).table(`${schema}.worker_leases`)
  const id = 900 + table.hot.size
  table.put({
    ...{ id, worker_type: "sim_transfers", from_height: 7, to_height: 8, attempt: 1, epoch: "e" },
    ...{ leased_by: "p0.0", lease_expires_at: 0, ...values },
  })
  return table.rows.get(id)!
}

export const cover = (
  world: World,
  worker: string,
  values: { heights?: RangeSet; skipped?: RangeSet },
  schema: "raw" | "app" = "app",
): void => change(world, `${schema}.coverage`, (before) => ({ ...before, ...values }), worker)

/** All blocks but these. */
export function allBut({ chain }: World, ...heights: readonly number[]): RangeSet {
  const ends = [-1, ...heights, chain.blocks.length]
  return ends
    .slice(1)
    .map((to, at) => ({ from: ends[at]! + 1, to }))
    .filter(({ from, to }) => from < to)
}

/** The worker cannot take block 5. */
export function poison({ chain }: World, worker: string): void {
  chain.blocks = chain.blocks.with(5, { ...chain.blocks[5]!, poison: worker })
}

export interface Change {
  readonly table: string
  readonly row?: ModelRow
  readonly before?: Values | undefined
  readonly after?: Values | undefined
}

/** A transaction of a process that made these changes; what the tables say now is planted apart. */
export function committed(world: World, ...changes: readonly Change[]): Committed {
  const database = databaseOf(world, changes[0]!.table)
  const connection = { host: { name: "p0.0" } } as ModelConnection
  return new Committed(
    database,
    connection,
    changes.map(({ table, row, before, after }) => ({
      row: row ?? new ModelRow(database.table(table), after),
      before,
      after,
    })),
  )
}

export type Plant = (world: World) => unknown
export type PlantCommit = (world: World) => Committed
/** Of what was planted; undefined: nothing. */
export type Says = RegExp | undefined

interface Planting<P> {
  /** Begins with the invariant and a colon. */
  readonly name: string
  readonly checker: Checker
  readonly plant: P
  readonly says: Says
}

/** Those that also look now and then. */
const sampled = ["I3", "I6", "I8"]

/** At the end, and now and then. */
export function saysWhenItLooks(
  { world, putBack: again }: PlantedWorld,
  { name, checker, plant, says }: Planting<Plant>,
): void {
  const looks = [checker.atEnd, ...(sampled.includes(checker.invariant) ? [checker.sample] : [])]
  for (const look of looks) {
    again()
    if (!look) throw new Error(`${checker.invariant} does not look`)
    look(world)
    expect(world.violation).toBeUndefined()
    plant(world)
    look(world)
    expectSaid(world, name, says)
  }
}

export function saysOfCommit({ world }: PlantedWorld, { name, checker, plant, says }: Planting<PlantCommit>): void {
  checker.onCommit!(world, plant(world))
  expectSaid(world, name, says)
}

function expectSaid({ violation }: World, name: string, says: Says): void {
  const invariant = name.slice(0, name.indexOf(":"))
  if (says) expect(violation).toMatchObject({ invariant, message: expect.stringMatching(says) })
  else expect(violation).toBeUndefined()
}
