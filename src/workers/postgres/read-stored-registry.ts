// The workers as the database knows them: what was declared when their tables were made. Enough to undo what they wrote, also for
// whoever does not declare them; nobody derives by it.

import type { Queryable } from "../../postgres/transaction.js"
import type { WorkerDefinition, WorkerTable } from "../worker-definition.js"
import { WorkerRegistry } from "../worker-registry.js"

interface StoredRow {
  name: string
  /** JSON. */
  definition: string
}

type Declared = Pick<WorkerDefinition, "version" | "dependencies" | "tables">

/** The one read last: declarations hardly ever change, and a rollback does not want to wait for what is made of them. */
let last: { readonly stored: string; readonly registry: WorkerRegistry } | undefined

export async function readStoredRegistry(sql: Queryable): Promise<WorkerRegistry> {
  const { rows } = await sql.query<StoredRow>(
    "select name, definition::text as definition from app.workers order by name",
  )
  const stored = JSON.stringify(rows)
  if (last?.stored !== stored) last = { stored, registry: asRegistry(rows) }
  return last.registry
}

function asRegistry(rows: readonly StoredRow[]): WorkerRegistry {
  return new WorkerRegistry(
    rows.map(({ name, definition: json }) => {
      const definition = JSON.parse(json) as Declared
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
