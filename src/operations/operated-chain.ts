// The chain an operator acts on: its two databases and the leases in each. Acts take it first, then one options object
// with the actor; they write their audit row, throw an IndexerError where nothing can be done, and print nothing.

import type { LeaseRow, OperatedLeases } from "../coordination/lease-store.js"
import type { Ledgers } from "../coordination/ledgers.js"
import { rawIngester } from "../coordination/raw-ingester.js"
import type { ChainFamily } from "../families/chain-family.js"
import type { Random } from "../platform/random.js"
import type { SqlExecutor } from "../postgres/transaction.js"
import type { StoredRegistry } from "../workers/postgres/stored-registry.js"

export interface OperatedChain {
  readonly name: string
  readonly raw: SqlExecutor
  readonly app: SqlExecutor
  /** By schema: the raw ingester's are in raw, those of all other workers in app. */
  readonly leases: { readonly raw: OperatedLeases; readonly app: OperatedLeases }
  readonly ledgers: Ledgers
  readonly storedWorkers: StoredRegistry
  readonly random: Random
  readonly family: ChainFamily
}

/** A block as one worker has it to do. */
export interface WorkerBlock {
  readonly worker: string
  readonly height: number
}

export const leasesOf = ({ leases }: OperatedChain, worker: string): OperatedLeases =>
  worker === rawIngester ? leases.raw : leases.app

export async function unfinishedLeases({ raw, app, ledgers }: OperatedChain): Promise<readonly LeaseRow[]> {
  const stored = await ledgers.raw.snapshot(raw)
  const derived = await ledgers.app.snapshot(app)
  return [...stored.leases, ...derived.leases]
}
