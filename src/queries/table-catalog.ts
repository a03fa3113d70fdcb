// The tables of a chain's workers, read from the database's catalogue and kept for a moment: requests come more often than
// workers or indexes change. Whoever finds a table missing or changed has it read again.

import type { Clock } from "../platform/clock.js"
import type { WorkerTableInfo } from "./worker-tables.js"

type Tables = readonly WorkerTableInfo[]

const freshMs = 2_000
/** Names that nobody ever had must not read the catalogue at each request either. */
const retryMs = 250

export class TableCatalog {
  #known: { readonly tables: Tables; readonly at: number } | undefined
  #reading: Promise<Tables> | undefined

  constructor(
    private readonly clock: Clock,
    private readonly read: () => Promise<Tables>,
  ) {}

  all(): Promise<Tables> {
    return this.#within(freshMs)
  }

  /** A table that has just been created is found. */
  async find(name: string): Promise<WorkerTableInfo | undefined> {
    const named = (tables: Tables) => tables.find(({ table }) => table === name)
    return named(await this.all()) ?? named(await this.#within(retryMs))
  }

  /** A table is not what it was: its worker has another version, or is derived again. */
  forget(): void {
    this.#known = undefined
  }

  async #within(ageMs: number): Promise<Tables> {
    if (this.#known && this.clock.monotonic() - this.#known.at < ageMs) return this.#known.tables
    this.#reading ??= this.#readAgain().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #readAgain(): Promise<Tables> {
    const at = this.clock.monotonic()
    const tables = await this.read()
    this.#known = { tables, at }
    return tables
  }
}
