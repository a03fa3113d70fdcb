// A worker's declaration as plain data in one form, and the hash of it, by which processes tell whether they mean the same
// worker. The same for any order of keys, and for what is left out or written as its default. Functions have no part in
// it (a bundler changes their text), so what an extract derives is told by the version.

import { createHash } from "node:crypto"
import { defaultPosition, type StateTable, type WorkerDefinition, type WorkerTable } from "./worker-definition.js"

export type PlainJson = string | number | boolean | null | readonly PlainJson[] | { readonly [key: string]: PlainJson }

/** What is stored beside the hash: enough to undo the worker's rows where nobody declares it. */
export function canonicalDefinition(worker: WorkerDefinition): PlainJson {
  return sorted({
    version: worker.version,
    dependencies: [...new Set(worker.dependencies ?? [])].sort(),
    tables: Object.fromEntries(Object.entries(worker.tables).map(([name, table]) => [name, tableOf(table)])),
  })
}

export function workerHash(worker: WorkerDefinition): string {
  return createHash("sha256")
    .update(JSON.stringify(canonicalDefinition(worker)))
    .digest("hex")
}

// Indexes are left out: one more or less changes no row, and is no reason to derive anything again.
function tableOf(table: WorkerTable): PlainJson {
  if (table.kind === "state") return stateOf(table)
  const { kind, columns, key, partitionBlocks } = table
  return { kind, columns: plain(columns), key: [...key], partitionBlocks: partitionBlocks ?? null }
}

function stateOf({ kind, key, columns, sources, track = [], position }: StateTable): PlainJson {
  return {
    kind,
    key: plain(key),
    columns: plain(columns),
    sources: sources.map((source) => ({
      table: source.table,
      where: plain(source.where ?? {}),
      key: plain(source.key),
      set: plain(source.set ?? {}),
      seen: source.seen ?? true,
    })),
    track: [...track].sort(),
    position: track.length > 0 ? [...(position ?? defaultPosition)] : [],
  }
}

/** Declarations are plain data but for `extract`, which is not given here. */
const plain = (value: object): PlainJson => JSON.parse(JSON.stringify(value)) as PlainJson

function sorted(value: PlainJson): PlainJson {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item as PlainJson)]),
  )
}
