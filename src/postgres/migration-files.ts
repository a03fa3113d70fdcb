// The numbered SQL files of a schema in the package. Released files are never edited: their checksums are compared.

import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"

export type MigratedSchema = "raw" | "app"

export interface MigrationFile {
  readonly version: number
  /** "0001_coordination.sql" */
  readonly name: string
  readonly sql: string
  readonly checksum: string
}

/** The folders of `src` and of `dist` are equally deep in the package. */
export const migrationsDirectory = (schema: MigratedSchema): string =>
  fileURLToPath(new URL(`../../migrations/${schema}`, import.meta.url))

export async function readMigrationFiles(directory: string): Promise<readonly MigrationFile[]> {
  const names = (await readdir(directory)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name, index) => {
      // A checkout may have converted the line endings; the statements are the same.
      const sql = (await readFile(join(directory, name), "utf8")).replaceAll("\r\n", "\n")
      const version = Number(name.slice(0, 4))
      if (version !== index + 1) throw new Error(`${basename(directory)}/${name} should have number ${index + 1}`)
      return { version, name, sql, checksum: createHash("sha256").update(sql).digest("hex") }
    }),
  )
}
