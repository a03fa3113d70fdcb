// A transaction whose statements all stay prepared, for what is short and always the same: parsed and planned once for each connection.

import { statementName } from "./statement-name.js"
import type { Queryable } from "./transaction.js"

/** Whoever gives options of its own decides itself, also that a statement is not to be kept. */
export const keptPrepared = (tx: Queryable): Queryable => ({
  query: (sql, params, options) => tx.query(sql, params, options ?? { name: statementName(sql) }),
})
