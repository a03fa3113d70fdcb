// What operators may list: the shape of each list, its filters, and how a page of it is read. src/api makes a route of
// each; everything is read from the databases, so that any process with the role serve answers.

import type { TProperties } from "typebox"
import type { ServedChain } from "./served-chain.js"
import type { KeyedRow } from "./two-store-page.js"

export type OpsValues = Readonly<Record<string, string | undefined>>

export interface OpsPageRequest {
  /** Of the filters. */
  readonly values: OpsValues
  readonly limit: number
  /** The key of the last row of the page before. */
  readonly after: readonly string[] | undefined
}

export interface OpsList {
  /** Below /v1/{chain}/ops. */
  readonly path: string
  readonly summary: string
  readonly query: TProperties
  readonly row: TProperties
  /** Up to `limit` rows, and one more where there are more. */
  read(chain: ServedChain, request: OpsPageRequest): Promise<readonly KeyedRow[]>
}

/** For what is few and read as a whole: sorted by its key, from behind the cursor on. */
export function wholeList(rows: readonly KeyedRow[], after: readonly string[] | undefined): readonly KeyedRow[] {
  const nameOf = ({ key }: KeyedRow): string => String(key[0])
  const sorted = [...rows].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  return after ? sorted.filter((row) => nameOf(row) > after[0]!) : sorted
}
