// What every declaration has to keep, whichever index it is: a slip here would show only when tables are made or rows are folded.

import { describe, expect, test } from "vitest"
import { generatedColumns } from "../../../workers/state-columns.js"
import type {
  EventTable,
  Expression,
  StateTable,
  WorkerDefinition,
  WorkerTable,
} from "../../../workers/worker-definition.js"
import { defaultPosition } from "../../../workers/worker-definition.js"
import { builtInWorkers } from "./built-in-workers.js"

const byName = new Map(builtInWorkers.map((worker) => [worker.name, worker]))
const tablesOf = (worker: WorkerDefinition): [string, WorkerTable][] => Object.entries(worker.tables)

/** Event tables that a worker may read: its own and those of its dependencies. */
const readable = (worker: WorkerDefinition): ReadonlyMap<string, EventTable> =>
  new Map(
    [worker, ...(worker.dependencies ?? []).map((name) => byName.get(name)!)]
      .flatMap(tablesOf)
      .filter((entry): entry is [string, EventTable] => entry[1].kind === "events"),
  )

const columnsOf = (expression: Expression): string[] => {
  if (typeof expression === "string") return [expression]
  if ("negate" in expression) return [expression.negate]
  return "day" in expression ? [expression.day] : []
}

test("no two workers or tables share a name, and names are plain", () => {
  const names = [
    ...builtInWorkers.map(({ name }) => name),
    ...builtInWorkers.flatMap((w) => Object.keys(w.tables)),
  ]
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9_]*$/)
})

describe.each(builtInWorkers.map((worker) => [worker.name, worker] as const))("%s", (_, worker) => {
  test("depends on workers that exist, and reads their event tables only", () => {
    for (const name of worker.dependencies ?? []) expect(byName.has(name), name).toBe(true)
    for (const name of worker.reads ?? []) expect([...readable(worker).keys()]).toContain(name)
  })

  test("has an extract exactly when it has event tables", () => {
    expect(worker.extract !== undefined).toBe(tablesOf(worker).some(([, table]) => table.kind === "events"))
  })

  test("keys and indexes of its tables name columns that are there", () => {
    for (const [name, table] of tablesOf(worker)) {
      const columns =
        table.kind === "events"
          ? Object.keys(table.columns)
          : [...Object.keys(table.key), ...Object.keys(table.columns), ...generatedColumns(table)]
      expect(new Set(columns).size, name).toBe(columns.length)
      for (const index of table.indexes ?? [])
        expect(columns, name).toEqual(expect.arrayContaining([...index]))
      if (table.kind === "state") continue
      expect(table.key[0], name).toBe("block_height")
      expect(columns, name).toEqual(expect.arrayContaining([...table.key]))
      for (const column of table.key) expect(table.columns[column]!.nullable, `${name}.${column}`).toBe(false)
    }
  })

  const states = tablesOf(worker).filter((entry): entry is [string, StateTable] => entry[1].kind === "state")

  test("its folds use columns that their sources have, and give every key", () => {
    for (const [name, table] of states) {
      for (const source of table.sources) {
        const columns = Object.keys(readable(worker).get(source.table)?.columns ?? {})
        expect(columns.length, `${name} from ${source.table}`).toBeGreaterThan(0)
        expect(Object.keys(source.key).sort()).toEqual(Object.keys(table.key).sort())
        expect(Object.keys(table.columns)).toEqual(expect.arrayContaining(Object.keys(source.set ?? {})))
        const used = [
          ...Object.values(source.key).flatMap(columnsOf),
          ...Object.values(source.set ?? {}).flatMap(columnsOf),
          ...Object.keys(source.where ?? {}),
          ...(table.track === undefined || source.seen === false ? [] : (table.position ?? defaultPosition)),
        ]
        expect(columns, `${name} from ${source.table}`).toEqual(expect.arrayContaining(used))
      }
    }
  })

  test("its folds fill every column, and track the ends they take values from", () => {
    for (const [name, table] of states) {
      for (const [column, { aggregate, kind }] of Object.entries(table.columns)) {
        expect(
          table.sources.some(({ set }) => set?.[column] !== undefined),
          `${name}.${column}`,
        ).toBe(true)
        if (aggregate === "sum") expect(["int8", "numeric"], `${name}.${column}`).toContain(kind)
        if (aggregate === "first" || aggregate === "last") expect(table.track, name).toContain(aggregate)
      }
    }
  })
})
