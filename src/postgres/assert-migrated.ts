// For a process that may not migrate: the schemas have to be those of its release. An older one is waited for, since a
// process that may migrate brings it up to date.

import { IndexerError } from "../platform/errors.js"
import type { Database } from "./database.js"
import { appliedVersions, checkHistory } from "./migrate.js"
import { type MigratedSchema, migrationsDirectory, readMigrationFiles } from "./migration-files.js"

export async function assertMigrated(database: Database, schema: MigratedSchema): Promise<void> {
  const files = await readMigrationFiles(migrationsDirectory(schema))
  const done = await appliedVersions(database, schema)
  checkHistory(done, { schema, files, address: database.address })
  if (done.length === files.length) return
  throw new IndexerError(
    "SCHEMA_OLDER",
    `The schema ${schema} of the database ${database.address} is at version ${done.length}, and this release needs ` +
      `version ${files.length}. Run \`tidemark migrate\`, or start a process of this release with another role.`,
    { data: { schema, databaseVersion: done.length, knownVersion: files.length } },
  )
}
