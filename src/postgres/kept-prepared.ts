// A transaction whose statements stay prepared, for short statements that never change: parsed once per connection.

import { statementName } from "./statement-name.js"
import type { Queryable } from "./transaction.js"

/** Options of the caller win, also to keep a statement from being prepared. */
export const keptPrepared = (tx: Queryable): Queryable => ({
  query: (sql, params, options) => tx.query(sql, params, options ?? { name: statementName(sql) }),
})
