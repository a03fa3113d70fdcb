// A transaction whose statements stay prepared, for short statements that never change: parsed once per connection.

import { createHash } from "node:crypto"
import type { Queryable } from "./transaction.js"

/** A hash of the text, so that no two texts share one name. */
export const statementName = (sql: string): string => createHash("sha1").update(sql).digest("base64url")

/** Options of the caller win, also to keep a statement from being prepared. */
export const keptPrepared = (tx: Queryable): Queryable => ({
  query: (sql, params, options) => tx.query(sql, params, options ?? { name: statementName(sql) }),
})
