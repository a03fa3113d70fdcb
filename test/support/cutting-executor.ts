// A connection that is cut before its n-th statement, begin and commit counted: what a process that dies there leaves behind.

import { Connection } from "../../src/postgres/connection.js"
import type { Queryable, SqlExecutor } from "../../src/postgres/transaction.js"

export class CuttingExecutor implements SqlExecutor<Queryable> {
  readonly #connection: Connection
  readonly #budget: { statements: number }

  /** Several executors of one process share a budget. */
  static async open(url: string, budget: { statements: number }): Promise<CuttingExecutor> {
    return new CuttingExecutor(await Connection.open({ url, applicationName: "dying" }), budget)
  }

  private constructor(connection: Connection, budget: { statements: number }) {
    this.#connection = connection
    this.#budget = budget
  }

  query: Queryable["query"] = (sql, params) => {
    this.#spend()
    return this.#connection.query(sql, params)
  }

  transaction: SqlExecutor<Queryable>["transaction"] = async (work, options) => {
    this.#spend()
    await this.#connection.begin(options)
    const result = await work(this)
    this.#spend()
    await this.#connection.commit()
    return result
  }

  close(): void {
    this.#connection.destroy()
  }

  #spend(): void {
    if (this.#budget.statements-- <= 0) this.#connection.destroy()
  }
}
