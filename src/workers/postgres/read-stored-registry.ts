// The workers as the database knows them: what was declared when their tables were made. Enough to undo what they wrote, also for
// whoever does not declare them; nobody derives by it.

import type { Queryable } from "../../postgres/transaction.js"
import type { WorkerDefinition, WorkerTable } from "../worker-definition.js"
import { WorkerRegistry } from "../worker-registry.js"

interface StoredRow {
  name: string
  definition: Pick<WorkerDefinition, "version" | "dependencies" | "tables">
}

export async function readStoredRegistry(sql: Queryable): Promise<WorkerRegistry> {
  const { rows } = await sql.query<StoredRow>("select name, definition from app.workers order by name")
  return new WorkerRegistry(
    rows.map(({ name, definition }) => {
      const hasEvents = Object.values(definition.tables).some(({ kind }) => kind === "events")
      const tables = Object.fromEntries(
        Object.entries(definition.tables).map(([table, one]) => [table, asDeclared(one)]),
      )
      return { name, ...definition, tables, ...(hasEvents ? { extract: neverDerive(name) } : {}) }
    }),
  )
}

/** What was left out of the declaration is null in the database. */
const asDeclared = (table: WorkerTable): WorkerTable =>
  Object.fromEntries(Object.entries(table).filter(([, value]) => value !== null)) as unknown as WorkerTable

const neverDerive = (name: string) => (): void => {
  throw new Error(`${name} as the database knows it has no extract`)
}
