// Statements of the API's own routes stay prepared in their sessions, so that planning them is paid once. Their number is
// bounded: each of them takes memory in every session.

import type { Queryable } from "../postgres/transaction.js"

const mostStatements = 300

export class PreparedStatements {
  readonly #names = new Map<string, string>()

  /** Those of a caller that names or ends them itself go through unchanged. */
  keep(tx: Queryable): Queryable {
    return {
      query: (sql, params, options = {}) =>
        tx.query(sql, params, options.name === undefined ? { ...options, name: this.#nameOf(sql) } : options),
    }
  }

  #nameOf(sql: string): string | undefined {
    const known = this.#names.get(sql)
    if (known !== undefined || this.#names.size >= mostStatements) return known
    const name = `q${this.#names.size}`
    this.#names.set(sql, name)
    return name
  }
}
