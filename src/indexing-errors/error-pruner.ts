// Deletes resolved errors, of raw and of app, by age and by number; what is open stays until it is resolved. Any number of
// processes may do it at once.

import { LoopingService, type LoopOptions } from "../platform/looping-service.js"
import type { Queryable } from "../postgres/transaction.js"
import type { ErrorSchema } from "./record-error.js"

export interface ErrorPrunerOptions extends Omit<LoopOptions, "name"> {
  readonly raw: Queryable
  readonly app: Queryable
  readonly keepDays: number
  /** Of each schema. */
  readonly keepEntries: number
}

const entriesAtOnce = 5_000

export class ErrorPruner extends LoopingService {
  constructor(private readonly options: ErrorPrunerOptions) {
    super({ ...options, name: "error-pruner" })
  }

  /** Continues at once while there is more. */
  async runOnce(): Promise<number | undefined> {
    const raw = await this.prune("raw")
    const app = await this.prune("app")
    if (raw + app > 0) this.logger.info({ raw, app }, "old resolved errors deleted")
    return Math.max(raw, app) === entriesAtOnce ? 0 : undefined
  }

  private async prune(schema: ErrorSchema): Promise<number> {
    const { keepDays, keepEntries } = this.options
    // One that is recorded again meanwhile is open, and stays.
    const { rowCount } = await this.options[schema].query(
      `with old as (
         select ctid from (
           select ctid, updated_at, row_number() over (order by updated_at desc) as place
           from ${schema}.indexing_errors where resolved) as resolved
         where place > $1::int8 or updated_at < clock_timestamp() - make_interval(days => $2::int4)
         limit $3)
       delete from ${schema}.indexing_errors where ctid in (select ctid from old) and resolved`,
      [keepEntries, keepDays, entriesAtOnce],
    )
    return rowCount ?? 0
  }
}
