// The contract of elections: one instance of each service runs at a time, the one whose transaction holds the post. There is no leader
// to lose: the post ends with the transaction.

import type { Queryable } from "../postgres/transaction.js"

export interface HeadElection {
  readonly mine: boolean
  /** It was this holder's before; null while nobody has followed the head. */
  readonly kept: boolean | null
}

export interface Elections {
  /** True: this transaction holds the post until it ends. */
  win(tx: Queryable, service: "index-builder" | "reconciler"): Promise<boolean>
  /** The same for the head, unless another holder was heard of within `patienceMs`. */
  winHead(
    tx: Queryable,
    candidate: { readonly holder: string; readonly patienceMs: number },
  ): Promise<HeadElection>
}
