// Runs a worker's extract on one block without a store and returns what it emits, by table, in plain values.

import type { BlockView } from "../../src/families/evm/raw/block-view.js"
import type { UpstreamRow, WorkerDefinition } from "../../src/workers/worker-definition.js"
import { PlainField } from "./block-view.js"

export type PlainRow = Readonly<Record<string, unknown>>

export function runExtract(
  worker: WorkerDefinition,
  block: BlockView,
  rows: Readonly<Record<string, readonly UpstreamRow[]>> = {},
): Readonly<Record<string, readonly PlainRow[]>> {
  const emitted: Record<string, PlainRow[]> = {}
  const emit: Record<string, (row: PlainRow) => void> = {}
  for (const [name, table] of Object.entries(worker.tables)) {
    if (table.kind !== "events") continue
    const list: PlainRow[] = []
    emitted[name] = list
    emit[name] = (row) => {
      list.push(
        Object.fromEntries(
          Object.entries(row).map(([column, value]) => [column, value instanceof PlainField ? value.plain : value]),
        ),
      )
    }
  }
  worker.extract?.({ block, emit, rows })
  return emitted
}
