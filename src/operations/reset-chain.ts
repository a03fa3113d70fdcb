// Deletes a chain's store: every table and view of Tidemark's, whatever else is in the same schemas or databases stays.
// Each database is emptied in one transaction, or not at all.

import { IndexerError } from "../platform/errors.js"
import { type MigratedSchema, migrationsDirectory, readMigrationFiles } from "../postgres/migration-files.js"
import { sqlStateOf } from "../postgres/postgres-error.js"
import { quoteIdentifier } from "../postgres/quote-identifier.js"
import type { Queryable } from "../postgres/transaction.js"
import { readProcesses } from "../status/read-status-rows.js"
import { readRowCounts } from "../workers/postgres/row-counts.js"
import type { OperatedChain } from "./operated-chain.js"

const seenWithinMs = 30_000

interface OwnRelation {
  readonly schema: MigratedSchema
  readonly name: string
  readonly kind: "table" | "view"
}

export interface ResetPlan {
  readonly chain: string
  /** Of each schema that exists; partitions count with their table. */
  readonly relations: readonly OwnRelation[]
  readonly blocks: number
  readonly bytes: number
  /** Processes that reported lately, as host:pid. */
  readonly running: readonly string[]
}

/** Throws NOT_FOUND where there is no store. */
export async function planReset({ raw, app, name }: OperatedChain): Promise<ResetPlan> {
  const relations = [...(await ownRelations(raw, "raw")), ...(await ownRelations(app, "app"))]
  if (relations.length === 0) throw new IndexerError("NOT_FOUND", `there is nothing of ${name} to delete`)
  const hasRaw = relations.some(({ schema, name: table }) => schema === "raw" && table === "blocks")
  const counted = hasRaw ? await raw.query<{ n: string }>("select count(*) as n from raw.blocks") : { rows: [] }
  const hasProcesses = relations.some(({ schema, name: table }) => schema === "raw" && table === "processes")
  const processes = hasProcesses ? await readProcesses(raw, seenWithinMs) : []
  return {
    chain: name,
    relations,
    blocks: Number(counted.rows[0]?.n ?? 0),
    bytes: (await sizeOf(raw, relations, "raw")) + (await sizeOf(app, relations, "app")),
    running: processes.map(({ host, pid }) => `${host}:${pid}`),
  }
}

export interface ResetOptions {
  readonly actor: string
  readonly plan: ResetPlan
  /** Also while processes run: they fail until they are started again. */
  readonly force: boolean
}

/** Throws STILL_RUNNING, or USAGE where something of the user's depends on what would go. */
export async function resetChain(
  { raw, app, name }: OperatedChain,
  { actor, plan, force }: ResetOptions,
): Promise<void> {
  if (plan.running.length > 0 && !force) {
    throw new IndexerError(
      "STILL_RUNNING",
      `${plan.running.join(", ")} ${plan.running.length === 1 ? "is" : "are"} running: stop every process of ${name} ` +
        `first (one that was killed is forgotten after ${seenWithinMs / 1_000} s), or give --force`,
    )
  }
  const record = JSON.stringify({ chain: name, actor, blocks: plan.blocks, relations: plan.relations.length })
  const limits = { lockTimeoutMs: 10_000 }
  try {
    if (app !== raw)
      await app.transaction((tx) => drop(tx, { relations: plan.relations, schemas: ["app"], record }), limits)
    const schemas = app === raw ? (["app", "raw"] as const) : (["raw"] as const)
    await raw.transaction((tx) => drop(tx, { relations: plan.relations, schemas, record }), limits)
  } catch (error) {
    if (sqlStateOf(error) !== "2BP01") throw error
    throw new IndexerError(
      "USAGE",
      `objects of your own depend on tables of ${name}, so these were not deleted; drop yours first: ` +
        String((error as { cause?: { detail?: string } }).cause?.detail ?? "").replaceAll("\n", "; "),
      { cause: error },
    )
  }
}

async function drop(
  tx: Queryable,
  {
    relations,
    schemas,
    record,
  }: { relations: readonly OwnRelation[]; schemas: readonly MigratedSchema[]; record: string },
): Promise<void> {
  const own = relations.filter(({ schema }) => schemas.includes(schema))
  // Before the tables whose triggers name them.
  const counts = schemas.includes("app") ? await readRowCounts(tx) : []
  for (const kind of ["view", "table"] as const) {
    const names = own.filter((one) => one.kind === kind).map(({ schema, name }) => quoteIdentifier(schema, name))
    // All at once, since they refer to each other; without cascade, since others may refer to them.
    if (names.length > 0) await tx.query(`drop ${kind} if exists ${names.join(", ")} restrict`)
  }
  const functions = counts.map(({ trigger }) => quoteIdentifier("app", trigger))
  for (const schema of schemas)
    for (const name of await createdIn(schema, "function")) functions.push(quoteIdentifier(schema, name))
  if (functions.length > 0) await tx.query(`drop function if exists ${functions.join(", ")} restrict`)
  for (const schema of schemas) {
    const { rows } = await tx.query(
      `select 1 from pg_depend as dependency join pg_namespace as namespace on namespace.oid = dependency.refobjid
       where dependency.refclassid = 'pg_namespace'::regclass and namespace.nspname = $1
         -- Default privileges go with the schema.
         and dependency.classid <> 'pg_default_acl'::regclass limit 1`,
      [schema],
    )
    if (rows.length === 0) await tx.query(`drop schema if exists ${quoteIdentifier(schema)} restrict`)
  }
  // The audit log goes too; what stays is the server's own log.
  await tx.query("select set_config('tidemark.reset', $1, true)", [record])
  await tx.query("do $$ begin raise log 'tidemark reset %', current_setting('tidemark.reset'); end $$")
}

/** What migrations created and what workers registered, as far as it exists. */
async function ownRelations(sql: Queryable, schema: MigratedSchema): Promise<readonly OwnRelation[]> {
  const created = [...(await createdIn(schema, "table")), ...(await createdIn(schema, "view"))]
  const registered =
    schema === "app" && (await exists(sql, "app.worker_tables"))
      ? (await sql.query<{ name: string }>("select table_name as name from app.worker_tables")).rows
      : []
  const counts = schema === "app" ? await readRowCounts(sql) : []
  const { rows } = await sql.query<{ name: string; kind: "table" | "view" }>(
    `select class.relname as name, case class.relkind when 'v' then 'view' else 'table' end as kind
     from pg_class as class join pg_namespace as namespace on namespace.oid = class.relnamespace
     where namespace.nspname = $1 and class.relkind in ('r', 'p', 'v') and class.relname = any($2::name[])
     order by class.relname`,
    [
      schema,
      [...created, "schema_migrations", ...registered.map(({ name }) => name), ...counts.map(({ table }) => table)],
    ],
  )
  return rows.map((row) => ({ schema, ...row }))
}

/** By the migrations. */
async function createdIn(schema: MigratedSchema, kind: "table" | "view" | "function"): Promise<readonly string[]> {
  const files = await readMigrationFiles(migrationsDirectory(schema))
  const statements = new RegExp(`^create ${kind} (?:raw|app)\\.(\\w+)`, "gm")
  return files.flatMap(({ sql }) => [...sql.matchAll(statements)].map(([, name]) => name!))
}

async function exists(sql: Queryable, name: string): Promise<boolean> {
  const { rows } = await sql.query<{ there: boolean }>("select to_regclass($1) is not null as there", [name])
  return rows[0]!.there
}

async function sizeOf(sql: Queryable, relations: readonly OwnRelation[], schema: MigratedSchema): Promise<number> {
  const own = relations.filter((one) => one.schema === schema)
  const { rows } = await sql.query<{ bytes: string }>(
    `select coalesce(sum(pg_total_relation_size(tree.relid)), 0) as bytes
     from unnest($1::text[]) as name, pg_partition_tree(name::regclass) as tree`,
    [own.map(({ name }) => quoteIdentifier(schema, name))],
  )
  return Number(rows[0]!.bytes)
}
