// Creates the tables of workers that are new to this database, and decides which of the others this process may run. It
// never alters, adopts or empties what exists: only an operator can rederive a worker. Indexes that are declared later
// are left to the TableIndexBuilder.

import type { CoverageLedger } from "../../coordination/coverage-ledger.js"
import { lockTables } from "../../postgres/advisory-lock.js"
import type { Queryable, SqlExecutor } from "../../postgres/transaction.js"
import { refuse } from "../check-worker.js"
import { foldIndexes } from "../fold-plan.js"
import { declaredIndexes, indexName, type TableIndex } from "../index-name.js"
import { eventTableSql, indexSql, stateTableSql } from "../table-sql.js"
import { eventTables, stateTables, type WorkerDefinition } from "../worker-definition.js"
import { canonicalDefinition } from "../worker-hash.js"
import { type WorkerRegistry, workerSchema } from "../worker-registry.js"
import { ensureRowCounts } from "./row-counts.js"

export interface IdleWorker {
  readonly worker: string
  /** Why this process does not run it, and what to do. */
  readonly message: string
}

export interface WorkerTablesOutcome {
  /** Tables. */
  readonly created: readonly string[]
  /** Dependencies first. */
  readonly runnable: readonly string[]
  /** Declared here, but not runnable. */
  readonly idle: readonly IdleWorker[]
}

// Creating an index on a table in use waits for its writers, and others queue behind it.
const limits = { lockTimeoutMs: 30_000, idleInTransactionTimeoutMs: 10_000 } as const

export function ensureWorkerTables<Tx extends Queryable>(
  { executor, ledger }: { executor: SqlExecutor<Tx>; ledger: Pick<CoverageLedger, "register"> },
  { registry }: { registry: WorkerRegistry },
): Promise<WorkerTablesOutcome> {
  return executor.transaction(async (tx) => {
    await lockTables(tx, "workers")
    // Read after the lock, so that it sees what another process has just created.
    const stored = await readStored(tx)
    const { runnable, idle } = decide(registry, stored)
    const created: string[] = []
    for (const worker of runnable) {
      if (stored.workers.has(worker.name)) continue
      checkFree(worker, stored)
      await createTables(tx, registry, worker)
      await recordWorker(tx, registry, worker)
      await ledger.register(tx, worker.name)
      created.push(...Object.keys(worker.tables))
    }
    await createIndexes(tx, { stored, indexes: wantedIndexes(registry, runnable), created })
    await ensureRowCounts(tx, { tables: runnable.flatMap(stateTables) })
    return { created, runnable: runnable.map(({ name }) => name), idle }
  }, limits)
}

interface Stored {
  readonly workers: ReadonlyMap<string, { readonly version: number; readonly hash: string }>
  readonly owners: ReadonlyMap<string, string>
  /** Workers with any coverage. */
  readonly covered: ReadonlySet<string>
  /** Everything with a name in the schema, such as tables and indexes. */
  readonly relations: ReadonlySet<string>
  readonly partitioned: ReadonlySet<string>
}

async function readStored(tx: Queryable): Promise<Stored> {
  const workers = await tx.query<{ name: string; version: number; hash: string }>(
    "select name, version, hash from app.workers",
  )
  const tables = await tx.query<{ table_name: string; worker_name: string }>(
    "select table_name, worker_name from app.worker_tables",
  )
  const covered = await tx.query<{ worker_type: string }>(
    "select worker_type from app.coverage where not isempty(heights) or not isempty(skipped)",
  )
  // From the catalogue, not to_regclass, whose cache is not refreshed by waiting for an advisory lock.
  const relations = await tx.query<{ name: string; partitioned: boolean }>(
    `select class.relname as name, class.relkind = 'p' as partitioned from pg_class as class
     join pg_namespace as namespace on namespace.oid = class.relnamespace
     where namespace.nspname = $1 and not class.relispartition`,
    [workerSchema],
  )
  return {
    workers: new Map(workers.rows.map(({ name, version, hash }) => [name, { version, hash }])),
    owners: new Map(tables.rows.map((row) => [row.table_name, row.worker_name])),
    covered: new Set(covered.rows.map((row) => row.worker_type)),
    relations: new Set(relations.rows.map(({ name }) => name)),
    partitioned: new Set(relations.rows.flatMap(({ name, partitioned }) => (partitioned ? [name] : []))),
  }
}

function decide(registry: WorkerRegistry, stored: Stored): { runnable: WorkerDefinition[]; idle: IdleWorker[] } {
  const runnable: WorkerDefinition[] = []
  const idle: IdleWorker[] = []
  for (const worker of registry.workers) {
    const message = reasonNotToRun(registry, worker, stored) ?? blockedBy(worker, idle)
    if (message === undefined) runnable.push(worker)
    else idle.push({ worker: worker.name, message })
  }
  return { runnable, idle }
}

function blockedBy({ name, dependencies }: WorkerDefinition, idle: readonly IdleWorker[]): string | undefined {
  const waitsFor = dependencies?.find((dependency) => idle.some(({ worker }) => worker === dependency))
  return waitsFor && `worker ${name} is not run by this process, as it depends on ${waitsFor}, which is not`
}

function reasonNotToRun(registry: WorkerRegistry, worker: WorkerDefinition, stored: Stored): string | undefined {
  const { name, version } = worker
  const found = stored.workers.get(name)
  const rederive = `to derive it again: tidemark workers rederive ${name}`
  if (!found) {
    return stored.covered.has(name)
      ? `worker ${name} has coverage but no tables in this database; ${rederive}`
      : undefined
  }
  if (found.version > version) {
    return (
      `worker ${name} is declared here as version ${version}, but the database has version ${found.version}; ` +
      "run the newer code in this process too"
    )
  }
  if (found.version < version) {
    return `worker ${name} is declared as version ${version}, but its tables hold version ${found.version}; ${rederive}`
  }
  if (found.hash !== registry.hashOf(name)) {
    return (
      `worker ${name} is declared with other tables, folds or dependencies than its tables were created for, ` +
      `under the same version ${version}; undo the change, or raise the version; ${rederive}`
    )
  }
  // Recreated it would be empty, which contradicts its coverage.
  const gone = Object.keys(worker.tables).find((table) => !stored.relations.has(table))
  return gone === undefined ? undefined : `table ${workerSchema}.${gone} of worker ${name} is gone; ${rederive}`
}

function checkFree({ name, tables }: WorkerDefinition, { owners, relations }: Stored): void {
  for (const table of Object.keys(tables)) {
    const owner = owners.get(table)
    if (owner !== undefined) {
      throw refuse({ worker: name, table }, `this database has it as a table of worker ${owner}`, "another name")
    }
    if (relations.has(table)) {
      const what = "this database has something of that name, which no worker made"
      throw refuse({ worker: name, table }, what, "another name, or rename what is there")
    }
  }
}

async function createTables(tx: Queryable, registry: WorkerRegistry, worker: WorkerDefinition): Promise<void> {
  for (const [table, definition] of eventTables(worker)) await tx.query(eventTableSql(table, definition))
  for (const plan of registry.folds.get(worker.name)!) await tx.query(stateTableSql(plan))
}

async function recordWorker(tx: Queryable, registry: WorkerRegistry, worker: WorkerDefinition): Promise<void> {
  const { name, version, dependencies = [], tables } = worker
  const definition = JSON.stringify(canonicalDefinition(worker))
  await tx.query(
    `insert into app.workers (name, version, hash, definition, dependencies, tables) values ($1, $2, $3, $4, $5, $6)`,
    [name, version, registry.hashOf(name), definition, [...dependencies], Object.keys(tables)],
  )
  await tx.query(
    `insert into app.worker_tables (table_name, worker_name, kind)
     select table_name, $1, kind from unnest($2::text[], $3::text[]) as made (table_name, kind)`,
    [name, Object.keys(tables), Object.values(tables).map(({ kind }) => kind)],
  )
}

interface WantedIndex extends TableIndex {
  /** A fold cannot be undone without it, so it is there before the fold runs. */
  readonly ofFold: boolean
}

/** Declared indexes, and those that folds need on tables of runnable workers. */
function wantedIndexes(registry: WorkerRegistry, runnable: readonly WorkerDefinition[]): readonly WantedIndex[] {
  const tables = new Set(runnable.flatMap((worker) => Object.keys(worker.tables)))
  const declared = runnable.flatMap(declaredIndexes)
  const ofFolds = [...registry.folds.values()].flat().flatMap(foldIndexes)
  return [
    ...declared.map((index) => ({ ...index, ofFold: false })),
    ...ofFolds.filter(({ table }) => tables.has(table)).map((index) => ({ ...index, ofFold: true })),
  ]
}

async function createIndexes(
  tx: Queryable,
  { stored, indexes, created }: { stored: Stored; indexes: readonly WantedIndex[]; created: readonly string[] },
): Promise<void> {
  const missing = new Map(indexes.map((index) => [indexName(index), index]))
  for (const [name, index] of missing) {
    if (stored.relations.has(name)) continue
    if (index.ofFold || created.includes(index.table)) await tx.query(indexSql(index))
    // Empty and invalid, so it takes no time. Partitions that are attached from now on have it.
    else if (stored.partitioned.has(index.table)) await tx.query(indexSql(index, { only: true }))
  }
}
