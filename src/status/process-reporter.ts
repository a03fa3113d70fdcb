// Reports every two seconds that this process lives and its state, and deletes its row when it stops. The rows are for
// people and the stall doctor; no decision of the protocol reads them.

import { describeError } from "../platform/errors.js"
import { LoopingService } from "../platform/looping-service.js"
import { printable } from "../platform/printable.js"
import type { ServiceDeps } from "../platform/service.js"
import type { Queryable } from "../postgres/transaction.js"
import type { ProcessState } from "./process-state.js"

export interface ProcessReporterOptions extends ServiceDeps {
  readonly database: Queryable
  /** A uuid of this run of the process. */
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly roles: readonly string[]
  readonly version: string
  /** Null until the server listens. */
  readonly httpUrl: () => string | null
  readonly state: () => ProcessState
  readonly intervalMs?: number
}

/** Rows of processes that died are deleted once in this many runs. */
const sweepEveryRuns = 300

export class ProcessReporter extends LoopingService {
  private runs = 0

  constructor(private readonly options: ProcessReporterOptions) {
    super({
      name: "process-reporter",
      clock: options.clock,
      logger: options.logger,
      intervalMs: options.intervalMs ?? 2_000,
      // Ten seconds of backoff would make a living process look gone soon after an outage.
      maxBackoffMs: 4_000,
    })
  }

  async runOnce(): Promise<undefined> {
    const { database, id, host, pid, roles, version, httpUrl, state } = this.options
    await database.query(
      `insert into raw.processes (id, host, pid, roles, version, http_url, state)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (id) do update set roles = excluded.roles, version = excluded.version,
         http_url = excluded.http_url, state = excluded.state, seen_at = clock_timestamp()`,
      [id, host, pid, [...roles], version, httpUrl(), toJsonb(state())],
    )
    if (this.runs++ % sweepEveryRuns === 0) {
      await database.query("delete from raw.processes where seen_at < clock_timestamp() - interval '1 day'")
    }
  }

  override async stop(): Promise<void> {
    await super.stop()
    if (this.runs === 0) return
    try {
      await this.options.database.query("delete from raw.processes where id = $1", [this.options.id])
      this.runs = 0
    } catch (error) {
      // Every status ignores it half a minute from now anyway.
      this.logger.debug({ error: describeError(error) }, "the process's row was left behind")
    }
  }
}

/** jsonb refuses the zero character and halves of surrogate pairs, which a node's error text may contain. */
const toJsonb = (state: ProcessState): string =>
  JSON.stringify(state, (_key, value: unknown) =>
    typeof value === "string" ? printable(value).replace(/\p{Surrogate}/gu, "\ufffd") : value,
  )
