// What a pool and a connection have in common: single statements, and transactions.

import type { Queryable, TransactionOptions } from "./transaction.js"

export interface SqlExecutor<Tx extends Queryable> extends Queryable {
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>
}
