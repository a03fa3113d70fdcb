// Migrates a schema to its newest file: forward only, one transaction per file, the version row first. Any number of
// processes may call this at the same time: each file is applied once, under a lock.

import { IndexerError, isIndexerError } from "../platform/errors.js"
import { Database } from "./database.js"
import { type MigratedSchema, type MigrationFile, migrationsDirectory, readMigrationFiles } from "./migration-files.js"
import { quoteIdentifier } from "./quote-identifier.js"
import type { Queryable } from "./transaction.js"

export interface MigrateOptions {
  readonly database: Database | string
  readonly schema: MigratedSchema
  /** For tests; the default is the package's own. */
  readonly directory?: string
}

/** One lock for both schemas: in one database they share extensions, which two sessions cannot create concurrently. */
const migrationLock = 8_106_748

/** A migration may rewrite a table of any size. */
const longestStatementMs = 86_400_000

/** Returns the names of the files applied by this call. */
export async function migrate(options: MigrateOptions): Promise<readonly string[]> {
  const files = await readMigrationFiles(options.directory ?? migrationsDirectory(options.schema))
  const { database, schema } = options
  if (database instanceof Database) return applyAll(database, schema, files)
  const own = new Database({
    url: database,
    applicationName: "tidemark-migrate",
    maxConnections: 1,
    longestStatementMs,
  })
  try {
    return await applyAll(own, schema, files)
  } finally {
    await own.end()
  }
}

async function applyAll(
  database: Database,
  schema: MigratedSchema,
  files: readonly MigrationFile[],
): Promise<readonly string[]> {
  await database.assertSupported()
  const applied: string[] = []
  for (;;) {
    // Each transaction applies one file and takes the lock again, so processes that start together may alternate.
    const target = { schema, files, address: database.address }
    const file = await database.transaction((tx) => applyNext(tx, target), {
      idleInTransactionTimeoutMs: 60_000,
    })
    if (file === undefined) return applied
    applied.push(file.name)
  }
}

interface Target {
  readonly schema: MigratedSchema
  readonly files: readonly MigrationFile[]
  readonly address: string
}

async function applyNext(tx: Queryable, target: Target): Promise<MigrationFile | undefined> {
  const { schema, files } = target
  await tx.query("select pg_advisory_xact_lock($1)", [migrationLock])
  const done = await appliedVersions(tx, schema)
  checkHistory(done, target)
  const file = files[done.length]
  if (file === undefined) return undefined
  if (done.length === 0) await createVersionTable(tx, schema)
  await tx.query(
    `insert into ${versionTable(schema)} (version, name, checksum, applied_at)
     values ($1, $2, $3, clock_timestamp())`,
    [file.version, file.name, file.checksum],
  )
  try {
    await tx.query(file.sql)
  } catch (error) {
    if (!isIndexerError(error)) throw error
    throw new IndexerError(error.code, `The migration ${schema}/${file.name} failed. ${error.message}`, {
      cause: error,
      data: { ...error.data, migration: file.name },
    })
  }
  return file
}

interface AppliedVersion {
  readonly version: number
  readonly name: string
  readonly checksum: string
}

export async function appliedVersions(tx: Queryable, schema: MigratedSchema): Promise<readonly AppliedVersion[]> {
  const { rows } = await tx.query<{ present: boolean }>("select to_regclass($1) is not null as present", [
    versionTable(schema),
  ])
  if (!rows[0]!.present) return []
  const result = await tx.query<AppliedVersion>(
    `select version, name, checksum from ${versionTable(schema)} order by version`,
  )
  return result.rows
}

/** What was applied has to be the beginning of what this release has. */
export function checkHistory(done: readonly AppliedVersion[], { schema, files, address }: Target): void {
  const newest = done.at(-1)
  if (newest && newest.version > files.length) {
    throw new IndexerError(
      "SCHEMA_NEWER",
      `The schema ${schema} of the database ${address} is at version ${newest.version} (${newest.name}), ` +
        `which belongs to a newer release; this release has version ${files.length}. Run the newer release.`,
      { data: { schema, databaseVersion: newest.version, knownVersion: files.length } },
    )
  }
  for (const [index, version] of done.entries()) {
    const file = files[index]!
    if (version.version === file.version && version.checksum === file.checksum) continue
    throw new IndexerError(
      "SCHEMA_CHANGED",
      `The schema ${schema} of the database ${address} was created by a ${version.name} that differs from ` +
        `${file.name} in this release. Released migrations never change: restore the file, or use a new database.`,
      { data: { schema, migration: file.name } },
    )
  }
}

async function createVersionTable(tx: Queryable, schema: MigratedSchema): Promise<void> {
  await tx.query(`create schema if not exists ${quoteIdentifier(schema)}`)
  await tx.query(`create table if not exists ${versionTable(schema)} (
    version int primary key, name text not null, checksum text not null, applied_at timestamptz not null)`)
}

const versionTable = (schema: MigratedSchema): string => quoteIdentifier(schema, "schema_migrations")
