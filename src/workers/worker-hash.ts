// A worker's declaration in canonical form, and its hash, by which processes compare declarations. Independent of the order
// of keys and of defaults written out. Functions are not part of it (a bundler changes their text), so the version
// identifies what an extract derives.

import { createHash } from "node:crypto"
import { defaultPosition, type StateTable, type WorkerDefinition, type WorkerTable } from "./worker-definition.js"

export type PlainJson = string | number | boolean | null | readonly PlainJson[] | { readonly [key: string]: PlainJson }

/** Stored beside the hash: enough to undo the worker's rows in a process that does not declare it. */
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

// Without indexes: they change no row, so they are no reason to derive anything again.
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

/** Declarations are plain data except `extract`, which is not part of this. */
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
