// A database of a test's own, in milliseconds: a clone of a template that has every migration. The template is made by
// whichever test comes first, and anew when a migration changes.

import { createHash, randomUUID } from "node:crypto"
import { inject } from "vitest"
import { Connection } from "../../src/postgres/connection.js"
import { migrate } from "../../src/postgres/migrate.js"
import { migrationsDirectory, readMigrationFiles } from "../../src/postgres/migration-files.js"
import { sqlStateOf } from "../../src/postgres/postgres-error.js"
import { quoteIdentifier } from "../../src/postgres/quote-identifier.js"

export interface TestDatabase {
  readonly url: string
  readonly name: string
  /** Ends whatever is still connected, and removes the database. */
  drop(): Promise<void>
}

export interface TestDatabaseOptions {
  /** The `postgres` database of another server than the shared one. */
  readonly server?: string
  /** An empty database, without any schema of ours. */
  readonly empty?: boolean
  /** A clone of this one, to which nobody may be connected. */
  readonly like?: TestDatabase
}

export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const server = options.server ?? inject("postgresUrl")
  const name = `test_${randomUUID().replaceAll("-", "")}`
  await withServer(server, async (connection) => {
    const template = options.empty ? "template0" : (options.like?.name ?? (await ensureTemplate(connection, server)))
    await createFrom(connection, name, template)
  })
  return { url: urlOf(server, name), name, drop: () => drop(server, name) }
}

async function ensureTemplate(connection: Connection, server: string): Promise<string> {
  const files = [
    ...(await readMigrationFiles(migrationsDirectory("raw"))),
    ...(await readMigrationFiles(migrationsDirectory("app"))),
  ]
  const checksum = createHash("sha256")
  for (const file of files) checksum.update(`${file.name} ${file.checksum}\n`)
  const name = `template_${checksum.digest("hex").slice(0, 16)}`
  if (await databaseExists(connection, name)) return name
  // Renamed when it is whole: what bears the template's name can be cloned.
  await connection.query("select pg_advisory_lock(hashtext($1))", [name])
  if (!(await databaseExists(connection, name))) {
    const part = `${name}_part_${randomUUID().slice(0, 8)}`
    await createFrom(connection, part, "template0")
    await migrate({ database: urlOf(server, part), schema: "raw" })
    await migrate({ database: urlOf(server, part), schema: "app" })
    await connection.query(`alter database ${quoteIdentifier(part)} rename to ${quoteIdentifier(name)}`)
  }
  await connection.query("select pg_advisory_unlock(hashtext($1))", [name])
  return name
}

async function createFrom(connection: Connection, name: string, template: string): Promise<void> {
  // By copying files: going through the write-ahead log took ten times the processor time, nearly all of it in the file system.
  const sql = `create database ${quoteIdentifier(name)} template ${quoteIdentifier(template)} strategy file_copy`
  for (let attempt = 1; ; attempt++) {
    try {
      await connection.query(sql)
      return
    } catch (error) {
      // Autovacuum may be looking at the template (55006); it goes away by itself.
      if (sqlStateOf(error) !== "55006" || attempt === 20) throw error
    }
  }
}

async function drop(server: string, name: string): Promise<void> {
  await withServer(server, (connection) =>
    connection.query(`drop database if exists ${quoteIdentifier(name)} with (force)`),
  )
}

async function databaseExists(connection: Connection, name: string): Promise<boolean> {
  return (await connection.query("select 1 from pg_database where datname = $1", [name])).rows.length > 0
}

async function withServer<T>(server: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await Connection.open({ url: server, applicationName: "tidemark-test" })
  try {
    return await work(connection)
  } finally {
    await connection.end()
  }
}

function urlOf(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
