// A pool on the model: a session for each statement or transaction, which is what a pool of enough connections looks like from outside.

import type pg from "pg"
import type { SqlExecutor, TransactionOptions } from "../../../src/postgres/transaction.js"
import { type Host, ModelConnection } from "./model-connection.js"
import type { ModelDatabase } from "./model-database.js"

export class ModelPool implements SqlExecutor<ModelConnection> {
  private readonly database: ModelDatabase
  private readonly host: Host
  private idle: ModelConnection | undefined

  constructor(database: ModelDatabase, host: Host) {
    this.database = database
    this.host = host
  }

  query<Row extends pg.QueryResultRow>(sql: string, params: readonly unknown[] = []): Promise<pg.QueryResult<Row>> {
    return this.with((connection) => connection.query<Row>(sql, params))
  }

  transaction<T>(work: (tx: ModelConnection) => Promise<T>, options?: TransactionOptions): Promise<T> {
    return this.with((connection) => connection.transaction(work, options))
  }

  private async with<T>(use: (connection: ModelConnection) => Promise<T>): Promise<T> {
    if (this.database.isDown) await this.host.request((settle) => settle(this.database.unreachable()))
    let connection = this.idle
    this.idle = undefined
    if (!connection || connection.closed) connection = new ModelConnection(this.database, this.host)
    try {
      return await use(connection)
    } finally {
      if (connection.closed || this.idle) connection.terminate()
      else this.idle = connection
    }
  }
}
