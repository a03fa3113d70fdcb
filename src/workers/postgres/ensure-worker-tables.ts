// Makes the tables of workers that are new to this database, and says of the others whether this process may run them. What
// exists is never altered, adopted or emptied: only a person decides to derive anew.

import type { CoverageLedger } from "../../coordination/coverage-ledger.js"
import { lockTables } from "../../postgres/advisory-lock.js"
import type { SqlExecutor } from "../../postgres/sql-executor.js"
import type { Queryable } from "../../postgres/transaction.js"
import { refuse } from "../check-worker.js"
import { foldIndexes } from "../fold-plan.js"
import { indexName, type TableIndex, tableIndexes } from "../index-name.js"
import { eventTableSql, indexSql, stateTableSql } from "../table-sql.js"
import { eventTables, type WorkerDefinition } from "../worker-definition.js"
import { canonicalDefinition } from "../worker-hash.js"
import { type WorkerRegistry, workerSchema } from "../worker-registry.js"

export interface IdleWorker {
  readonly worker: string
  /** Why this process does not run it, and what to do. */
  readonly message: string
}

export interface WorkerTablesOutcome {
  /** Tables it made. */
  readonly created: readonly string[]
  /** Dependencies first. Whatever is declared and not here is in one of the lists below. */
  readonly runnable: readonly string[]
  /** The database was made for a newer version than this process has. */
  readonly outdated: readonly IdleWorker[]
  /** This process declares something else than the database was made for, or a table is gone. */
  readonly changed: readonly IdleWorker[]
  /** Nothing is wrong with it, but something is with one it depends on. */
  readonly blocked: readonly IdleWorker[]
}

// An index on a table that is in use waits for its writers, and others wait behind it meanwhile.
const limits = { lockTimeoutMs: 30_000, idleInTransactionTimeoutMs: 10_000 } as const

export function ensureWorkerTables<Tx extends Queryable>(
  { executor, ledger }: { executor: SqlExecutor<Tx>; ledger: Pick<CoverageLedger, "register"> },
  { registry }: { registry: WorkerRegistry },
): Promise<WorkerTablesOutcome> {
  return executor.transaction(async (tx) => {
    await lockTables(tx, "workers")
    // Read by statements of their own after the lock, so that they see what another has just made.
    const stored = await readStored(tx)
    const verdicts = judge(registry, stored)
    const created: string[] = []
    for (const worker of verdicts.fresh) {
      checkFree(worker, stored)
      await createTables(tx, registry, worker)
      await recordWorker(tx, registry, worker)
      await ledger.register(tx, worker.name)
      created.push(...Object.keys(worker.tables))
    }
    await createIndexes(tx, { stored, indexes: wantedIndexes(registry, verdicts.runnable) })
    const { outdated, changed, blocked } = verdicts
    return { created, runnable: verdicts.runnable.map(({ name }) => name), outdated, changed, blocked }
  }, limits)
}

interface Stored {
  readonly workers: ReadonlyMap<string, { readonly version: number; readonly hash: string }>
  readonly owners: ReadonlyMap<string, string>
  /** Workers that some height is done of. */
  readonly covered: ReadonlySet<string>
  /** Tables, indexes and whatever else has a name in the schema. */
  readonly relations: ReadonlySet<string>
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
  // The catalogue's rows, not to_regclass: that answers from a cache which waiting for an advisory lock does not refresh.
  const relations = await tx.query<{ name: string }>(
    `select class.relname as name from pg_class as class
     join pg_namespace as namespace on namespace.oid = class.relnamespace
     where namespace.nspname = $1 and not class.relispartition`,
    [workerSchema],
  )
  return {
    workers: new Map(workers.rows.map(({ name, version, hash }) => [name, { version, hash }])),
    owners: new Map(tables.rows.map((row) => [row.table_name, row.worker_name])),
    covered: new Set(covered.rows.map((row) => row.worker_type)),
    relations: new Set(relations.rows.map(({ name }) => name)),
  }
}

interface Verdicts {
  readonly runnable: WorkerDefinition[]
  /** Those of the runnable that have no tables yet. */
  readonly fresh: WorkerDefinition[]
  readonly outdated: IdleWorker[]
  readonly changed: IdleWorker[]
  readonly blocked: IdleWorker[]
}

function judge(registry: WorkerRegistry, stored: Stored): Verdicts {
  const verdicts: Verdicts = { runnable: [], fresh: [], outdated: [], changed: [], blocked: [] }
  const idle = new Set<string>()
  for (const worker of registry.workers) {
    const { name } = worker
    const found = stored.workers.get(name)
    const newer = found && newerThan(worker, found.version)
    const changed = newer ? undefined : changeOf(registry, worker, stored)
    const waitsFor = worker.dependencies?.find((dependency) => idle.has(dependency))
    if (newer) verdicts.outdated.push({ worker: name, message: newer })
    else if (changed) verdicts.changed.push({ worker: name, message: changed })
    else if (waitsFor !== undefined) {
      const message = `worker ${name} is not run by this process, as it depends on ${waitsFor}, which is not`
      verdicts.blocked.push({ worker: name, message })
    } else {
      verdicts.runnable.push(worker)
      if (!found) verdicts.fresh.push(worker)
      continue
    }
    idle.add(name)
  }
  return verdicts
}

const newerThan = ({ name, version }: WorkerDefinition, stored: number): string | undefined =>
  stored > version
    ? `worker ${name} is declared here as version ${version}, but the database has version ${stored}; run the newer code in this process too`
    : undefined

function changeOf(registry: WorkerRegistry, worker: WorkerDefinition, stored: Stored): string | undefined {
  const { name, version } = worker
  const found = stored.workers.get(name)
  const rederive = `to derive it anew: tidemark workers rederive ${name}`
  if (!found) {
    return stored.covered.has(name)
      ? `worker ${name} has coverage but no tables in this database; ${rederive}`
      : undefined
  }
  if (found.version < version) {
    return `worker ${name} is declared as version ${version}, but its tables hold version ${found.version}; ${rederive}`
  }
  if (found.hash !== registry.hashOf(name)) {
    return `worker ${name} is declared with other tables, folds or dependencies than its tables were made for, under the same version ${version}; take the change back, or raise the version; ${rederive}`
  }
  // Made again it would be empty, and coverage would say that it is not.
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

/** Declared ones, and those that folds need on tables of runnable workers. */
function wantedIndexes(registry: WorkerRegistry, runnable: readonly WorkerDefinition[]): readonly TableIndex[] {
  const tables = new Set(runnable.flatMap((worker) => Object.keys(worker.tables)))
  const declared = runnable.flatMap((worker) =>
    Object.entries(worker.tables).flatMap(([name, table]) => tableIndexes(name, table)),
  )
  const ofFolds = [...registry.folds.values()].flat().flatMap(foldIndexes)
  return [...declared, ...ofFolds.filter(({ table }) => tables.has(table))]
}

async function createIndexes(
  tx: Queryable,
  { stored, indexes }: { stored: Stored; indexes: readonly TableIndex[] },
): Promise<void> {
  const missing = new Map(indexes.map((index) => [indexName(index), index]))
  for (const [name, index] of missing) if (!stored.relations.has(name)) await tx.query(indexSql(index))
}
