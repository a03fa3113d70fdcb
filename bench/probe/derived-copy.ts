// The floor below deriving: event rows and state rows that lie ready in files, copied in and committed, transaction by
// transaction, on one connection.

import { readFile } from "node:fs/promises"
import { parseArgs } from "node:util"
import { Connection } from "../../src/postgres/connection.js"

export interface CopyFile {
  readonly table: string
  readonly columns: readonly string[]
  readonly file: string
}

/** A list of transactions. */
export type CopyManifest = readonly (readonly CopyFile[])[]

const { values } = parseArgs({
  options: { database: { type: "string" }, manifest: { type: "string" } },
})
const manifest = JSON.parse(await readFile(values.manifest!, "utf8")) as CopyManifest
const connection = await Connection.open({
  url: values.database!,
  applicationName: "tidemark bench writer",
})
for (const files of manifest) {
  await connection.begin()
  for (const { table, columns, file } of files) {
    await connection.copyIn(table, columns, [await readFile(file)])
  }
  await connection.commit()
}
await connection.end()
