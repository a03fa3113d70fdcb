// What a pool and a single connection have in common: statements, and transactions of several.

import type { Queryable, TransactionOptions } from "./transaction.js"

export interface SqlExecutor<Tx extends Queryable> extends Queryable {
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>
}
