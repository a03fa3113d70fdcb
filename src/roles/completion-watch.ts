// --exit-when-done: stops the process when every block up to the end is stored or skipped, and derived, by any process.

import { rawIngester } from "../coordination/raw-ingester.js"
import type { BlockRange } from "../domain/block-range.js"
import { LoopingService } from "../platform/looping-service.js"
import type { ServiceDeps } from "../platform/service.js"
import type { Queryable } from "../postgres/transaction.js"
import { readChainState } from "../raw/chain-state.js"

interface CompletionWatchOptions extends ServiceDeps {
  readonly database: Queryable
  readonly app: Queryable
  /** Workers that have to be done too. */
  readonly derived: readonly string[]
  readonly endBlock: number
  readonly onDone: () => void
}

export class CompletionWatch extends LoopingService {
  constructor(private readonly options: CompletionWatchOptions) {
    super({ ...options, name: "completion-watch", intervalMs: 100 })
  }

  async runOnce(): Promise<undefined> {
    const { database, app, derived, endBlock, onDone } = this.options
    const state = await readChainState(database)
    if (!state) return undefined
    const wanted = { from: state.startHeight, to: endBlock + 1 }
    const isDone =
      wanted.from >= wanted.to ||
      ((await cover(database, "raw", { workers: [rawIngester], wanted })) &&
        (await cover(app, "app", { workers: derived, wanted })))
    if (isDone) onDone()
  }
}

async function cover(
  sql: Queryable,
  schema: "raw" | "app",
  { workers, wanted }: { workers: readonly string[]; wanted: BlockRange },
): Promise<boolean> {
  const { rows } = await sql.query(
    `select 1 from ${schema}.coverage
     where worker_type = any ($1) and heights + skipped @> int8range($2::int8, $3::int8)`,
    [workers, wanted.from, wanted.to],
  )
  return rows.length === workers.length
}
