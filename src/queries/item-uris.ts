// How a chain family finds the document of an item: what the store knows, and what its contract answers.

import type { Queryable } from "../postgres/transaction.js"
import type { NodeCalls } from "./node-calls.js"

interface ItemName {
  readonly contract: string
  /** In decimal. */
  readonly item: string
}

export interface ItemUris {
  /** Their tables are read. */
  readonly workers: readonly string[]
  /** Whether the item may exist, from tables of app. Nothing else is asked of the node. */
  isKnown(tx: Queryable, item: ItemName): Promise<boolean>
  /** What the contract answers now; undefined where it has none. Throws an IndexerError when no node answers. */
  read(node: NodeCalls, item: ItemName, signal: AbortSignal): Promise<string | undefined>
}
