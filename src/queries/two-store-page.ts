// A page of rows that lie in both databases of a chain, merged by their key. Each database gives its own rows behind the
// cursor; those that the page has no room for are read again with the next one.

import type { Queryable } from "../postgres/transaction.js"
import type { Store } from "./answer-scope.js"
import type { ServedChain } from "./served-chain.js"

/** A part of a key. All parts of one list are in the same direction. */
type KeyPart = string | number

export interface KeyedRow {
  /** Unique over both databases; numbers are compared as numbers, texts by their bytes. */
  readonly key: readonly KeyPart[]
  readonly row: Record<string, unknown>
}

export interface TwoStorePage {
  readonly limit: number
  readonly order: "asc" | "desc"
  readonly after: readonly string[] | undefined
}

/** Up to `limit` rows, and one more where there are more. */
export async function readTwoStores(
  chain: Pick<ServedChain, "read">,
  { limit, order }: Pick<TwoStorePage, "limit" | "order">,
  read: (tx: Queryable, store: Store, most: number) => Promise<readonly KeyedRow[]>,
): Promise<KeyedRow[]> {
  const [raw, app] = await Promise.all(
    (["raw", "app"] as const).map((store) => chain.read(store, (tx) => read(tx, store, limit + 1))),
  )
  const sign = order === "asc" ? 1 : -1
  return [...raw!, ...app!].sort((a, b) => sign * compareKeys(a.key, b.key)).slice(0, limit + 1)
}

function compareKeys(a: readonly KeyPart[], b: readonly KeyPart[]): number {
  for (const [at, one] of a.entries()) {
    const other = b[at]!
    if (one !== other) return one < other ? -1 : 1
  }
  return 0
}
