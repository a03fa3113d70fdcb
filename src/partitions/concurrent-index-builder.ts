// Builds indexes one at a time among all processes, without blocking writers. An index whose build was interrupted is
// invalid; it is dropped and rebuilt.

import type { Elections } from "../coordination/elections.js"
import { LoopingService, type LoopOptions } from "../platform/looping-service.js"
import type { Connection } from "../postgres/connection.js"
import type { Database } from "../postgres/database.js"
import type { Queryable } from "../postgres/transaction.js"

export interface ConcurrentIndexBuilderOptions extends LoopOptions {
  readonly database: Database
  /** The statement may run for hours, so it has a connection of its own. */
  readonly connect: () => Promise<Connection>
  readonly elections: Elections
}

export interface IndexBuild {
  readonly index: string
  /** Run one after the other, each in a transaction of its own. */
  readonly statements: readonly string[]
}

/** How often, and how many times, to check whether the server lists a statement that was sent as an index build. */
const checkMs = 20
const maxChecks = 100

export abstract class ConcurrentIndexBuilder extends LoopingService {
  constructor(private readonly builder: ConcurrentIndexBuilderOptions) {
    super(builder)
  }

  /** Undefined when nothing lacks an index, and while any process builds one. */
  protected abstract next(sql: Queryable): Promise<IndexBuild | undefined>

  protected abstract isBuilding(sql: Queryable): Promise<boolean>

  async runOnce(signal: AbortSignal): Promise<number | undefined> {
    const { database, connect } = this.builder
    if ((await this.next(database)) === undefined) return undefined
    const connection = await connect()
    // The server goes on alone and may finish. If it does not, the next start finds an invalid index.
    const cut = (): void => connection.destroy()
    signal.addEventListener("abort", cut, { once: true })
    try {
      const started = await database.transaction((tx) => this.startNext(tx, connection))
      await started?.done
      return started ? 0 : undefined
    } finally {
      signal.removeEventListener("abort", cut)
      await connection.end()
    }
  }

  // An index cannot be built concurrently inside a transaction, so the election cannot last as long as the build. It
  // lasts until the server lists the build for all sessions, and the process elected next then starts no other.
  private async startNext(
    tx: Queryable,
    connection: Connection,
  ): Promise<{ readonly done: Promise<void> } | undefined> {
    const isMine = await this.builder.elections.win(tx, "index-builder")
    const next = isMine ? await this.next(tx) : undefined
    if (!next) return undefined
    let over = false
    const done = this.build(connection, next).finally(() => {
      over = true
    })
    // The caller awaits it after this transaction and gets the error then.
    done.catch(() => undefined)
    for (let check = 0; check < maxChecks && !over; check++) {
      await tx.query("select pg_stat_clear_snapshot()")
      if (await this.isBuilding(tx)) break
      await this.clock.sleep(checkMs)
    }
    return { done }
  }

  private async build(connection: Connection, { index, statements }: IndexBuild): Promise<void> {
    const began = this.clock.monotonic()
    for (const statement of statements) await connection.query(statement)
    this.logger.info({ index, ms: Math.round(this.clock.monotonic() - began) }, "index built")
  }
}
