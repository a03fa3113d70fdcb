// The workers as the database stores them: as declared when their tables were created. Enough to undo what they wrote, also
// in a process that does not declare them; never used to derive.

import type { Queryable } from "../../postgres/transaction.js"
import type { WorkerDefinition, WorkerTable } from "../worker-definition.js"
import { WorkerRegistry } from "../worker-registry.js"

interface StoredRow {
  name: string
  /** JSON. */
  definition: string
}

type Declared = Pick<WorkerDefinition, "version" | "dependencies" | "tables">

/** Caches the last registry: declarations rarely change, and a rollback must not wait for their planning. */
export class StoredRegistry {
  #last: { readonly stored: string; readonly registry: WorkerRegistry } | undefined

  async read(sql: Queryable): Promise<WorkerRegistry> {
    const { rows } = await sql.query<StoredRow>(
      "select name, definition::text as definition from app.workers order by name",
    )
    const stored = JSON.stringify(rows)
    if (this.#last?.stored !== stored) this.#last = { stored, registry: asRegistry(rows) }
    return this.#last.registry
  }
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
