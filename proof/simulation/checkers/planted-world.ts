// A world at the end of a run without violations, in which tests plant changes. Every test starts from the same state.

import { expect, test } from "vitest"
import type { RangeSet } from "../../../src/domain/range-set.js"
import { openLaboratory } from "../laboratory.js"
import type { ModelConnection } from "../model/model-connection.js"
import { Committed, type ModelDatabase } from "../model/model-database.js"
import { ModelRow, type Values } from "../model/model-table.js"
import { type Plan, planOf } from "../plan.js"
import { simulate } from "../simulate.js"
import type { Checker, World } from "../world.js"

// No process falls silent in it, so that leases expire at their usual time.
const plan: Plan = { ...planOf(3), poisons: [], crashes: [], ambushes: [] }
const ended: World[] = []
await simulate(await openLaboratory(), plan, { atEnd: (one) => ended.push(one) })
export const world = ended[0]!
if (world.violation) throw new Error(world.violation.message)
const backups = [world.raw, world.app].map((database) => [database, database.backup()] as const)
const { wentBack, healed, healedAt } = world
const { blocks } = world.chain

export function restoreWorld(): void {
  for (const [database, backup] of backups) database.putBack(backup)
  Object.assign(world, { plan, wentBack, healed, healedAt, violation: undefined })
  world.chain.blocks = blocks
}

export type Plant<T = unknown> = () => T

/** Plants all of them; the result is that of the last. */
export const all =
  <T>(...plants: [...Plant[], Plant<T>]): Plant<T> =>
  () =>
    plants.map((plant) => plant()).at(-1) as T

const databaseOf = (table: string): ModelDatabase => (table.startsWith("raw.") ? world.raw : world.app)

/** Changes the row with that key, or the first one. */
const change =
  (table: string, made: (values: Values) => Values | undefined, key?: number | string): Plant =>
  () => {
    const { rows } = databaseOf(table).table(table)
    const row = key === undefined ? [...rows.values()].find(({ committed }) => committed)! : rows.get(key)!
    row.committed = made(row.committed!)
  }

export const set = (table: string, values: Values, key?: number | string): Plant =>
  change(table, (before) => ({ ...before, ...values }), key)

export const remove = (table: string, key?: number): Plant => change(table, () => undefined, key)

export const put =
  (table: string, values: Values): Plant =>
  () =>
    databaseOf(table).table(table).put(values)

/** Changes every event row of block 5. */
export const setEvents = (table: string, values: Values): Plant =>
  change(
    table,
    ({ rows, ...rest }) => ({ ...rest, rows: (rows as Values[]).map((row) => ({ ...row, ...values })) }),
    5,
  )

/** Adds one to a number of a state. */
export const addToState = (table: string, column: string): Plant =>
  change(table, ({ state, ...rest }) => {
    const values = state as Values
    return { ...rest, state: { ...values, [column]: (values[column] as number) + 1 } }
  })

/** By default a lease of block 7 that expired long ago and whose holder is not alive. */
export const lease =
  ({ schema = "app", ...values }: Values): Plant<ModelRow> =>
  () => {
    const table = databaseOf(`${schema}.`).table(`${schema}.worker_leases`)
    const id = 900 + table.hot.size
    table.put({
      ...{ id, worker_type: "sim_transfers", from_height: 7, to_height: 8, attempt: 1, epoch: "e" },
      ...{ leased_by: "p0.0", lease_expires_at: 0, ...values },
    })
    return table.rows.get(id)!
  }

export const cover = (worker: string, values: { heights?: RangeSet; skipped?: RangeSet }, schema = "app"): Plant =>
  set(`${schema}.coverage`, values, worker)

export function allBut(...heights: readonly number[]): RangeSet {
  const ends = [-1, ...heights, blocks.length]
  return ends
    .slice(1)
    .map((to, at) => ({ from: ends[at]! + 1, to }))
    .filter(({ from, to }) => from < to)
}

/** Block 5 is skipped and not done. */
export const skips5 = { heights: allBut(5), skipped: [{ from: 5, to: 6 }] }

/** The worker cannot process block 5. */
export const poison =
  (worker: string): Plant =>
  () => {
    world.chain.blocks = blocks.with(5, { ...blocks[5]!, poison: worker })
  }

export interface Change {
  readonly table: string
  readonly row?: ModelRow
  readonly before?: Values | undefined
  readonly after?: Values | undefined
}

/** A transaction of a process that made these changes. It does not change the tables. */
export function committed(...changes: readonly Change[]): Committed {
  const database = databaseOf(changes[0]!.table)
  const connection = { host: { name: "p0.0" } } as ModelConnection
  const made = changes.map(({ table, before, after, row = new ModelRow(database.table(table), after) }) => ({
    ...{ row, before, after },
  }))
  return new Committed(database, connection, made)
}

/** Without a pattern, the checker must report nothing. */
export type Case<T = unknown> = readonly [name: string, plant: Plant<T>, reports?: RegExp]

/** Checkers that also run in samples. */
const sampled = ["I3", "I6", "I8"]

export function testAtEnd(checker: Checker, cases: readonly Case[]): void {
  for (const [name, plant, reports] of cases)
    test(`${checker.invariant}: ${name}`, () => {
      for (const check of sampled.includes(checker.invariant) ? [checker.atEnd!, checker.sample!] : [checker.atEnd!]) {
        restoreWorld()
        check(world)
        expect(world.violation).toBeUndefined()
        plant()
        check(world)
        expectReport(checker, reports)
      }
    })
}

export function testOnCommit(checker: Checker, cases: readonly Case<Committed>[]): void {
  for (const [name, plant, reports] of cases)
    test(`${checker.invariant}: ${name}`, () => {
      restoreWorld()
      checker.onCommit!(world, plant())
      expectReport(checker, reports)
    })
}

function expectReport({ invariant }: Checker, reports: RegExp | undefined): void {
  if (reports) expect(world.violation).toMatchObject({ invariant, message: expect.stringMatching(reports) })
  else expect(world.violation).toBeUndefined()
}
