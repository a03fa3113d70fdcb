// The contract of elections: one instance of each service runs at a time, the one whose transaction holds its lock. There is no
// leader to lose: the election ends with the transaction.

import type { Queryable } from "../postgres/transaction.js"
import type { ProcessIdentity } from "./process-identity.js"

export interface HeadElection {
  readonly mine: boolean
  /** This holder also won the last one; null while no process has followed the head. */
  readonly kept: boolean | null
}

export interface Elections {
  /** True: this transaction holds the lock until it ends. */
  win(tx: Queryable, service: "index-builder" | "outbox-writer" | "reconciler" | "series-writer"): Promise<boolean>
  /** The same for the head, unless another holder reported a head within `patienceMs`. */
  winHead(
    tx: Queryable,
    candidate: { readonly holder: Pick<ProcessIdentity, "id">; readonly patienceMs: number },
  ): Promise<HeadElection>
}
