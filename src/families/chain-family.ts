// What composition needs of a chain family, as one record. Code outside src/families that works with blocks gets the
// parts it needs of it.

import type { CoverageLedger } from "../coordination/coverage-ledger.js"
import type { JobQueue } from "../coordination/job-queue.js"
import type { BlockRange } from "../domain/block-range.js"
import type { Hex } from "../domain/linked-block.js"
import type { PartitionedTable } from "../partitions/partitioned-table.js"
import type { ChainConfig } from "../platform/load-config.js"
import type { RuntimeDeps, Service } from "../platform/service.js"
import type { Database } from "../postgres/database.js"
import type { Queryable } from "../postgres/transaction.js"
import type { BlockWriter } from "../raw/block-writer.js"
import type { ComparedTable } from "../raw/compared-table.js"
import type { BlockSource, ChainIdentity, HeadWatch } from "../source/block-source.js"
import type { SharedLimitHandle } from "../source/shared-limit.js"
import type { ReadBlocks } from "../workers/raw-range.js"
import type { WorkerDefinition } from "../workers/worker-definition.js"

export interface ChainFamily {
  /** The name of a chain that the config gives none. */
  chainName(identity: ChainIdentity): string

  createSource(deps: RuntimeDeps, options: SourceOptions): BlockSource
  createHeadWatch(
    deps: RuntimeDeps,
    options: { readonly chain: Pick<ChainConfig, "wsUrls">; readonly chainId: string },
  ): HeadWatch

  /** The raw tables that the writer fills. */
  readonly partitionedTables: readonly PartitionedTable[]
  createWriter(options?: { readonly denormalizeEvents?: boolean }): BlockWriter
  /** For comparing stored rows with those of a node. */
  readonly comparedTables: readonly ComparedTable[]
  readonly readBlocks: ReadBlocks

  /** Built in: derived on every chain of the family unless its settings disable them. */
  readonly workers: readonly WorkerDefinition[]
  /** Services that observe what is in no block, for the workers that run. */
  createObservers(deps: ObserverDeps, options: ObserversOptions): Service[]
  /** Removes observations at the heights that a rollback removes, in its transaction and under its lock. */
  forgetObserved(jobs: JobQueue, tx: Queryable, options: { readonly removed: BlockRange }): Promise<void>
  /** Clears the observation queues of workers that are derived again from the start. */
  forgetQueues(tx: Queryable, workers: readonly string[]): Promise<void>
}

export interface SourceOptions {
  readonly chain: Pick<ChainConfig, "rpcUrls"> &
    Partial<Pick<ChainConfig, "checks" | "verify" | "rpcBatchBlocks" | "rpcTimeoutMs" | "rpcMaxResponseBytes">>
  /** Undefined before the first answer of a node. */
  readonly chainId: string | undefined
  /** One for each URL, shared by the threads of the process. Absent: no limits. */
  readonly limits?: readonly SharedLimitHandle[]
  readonly bytesInFlight?: number
}

export interface ObserverDeps extends RuntimeDeps {
  /** Of the app schema. */
  readonly app: Database
  readonly ledger: Pick<CoverageLedger, "lockChain">
  readonly jobs: JobQueue
  /** The highest block that a worker covers. */
  readonly coveredHead: (worker: string) => Promise<{ height: number; hash: Hex } | undefined>
}

export interface ObserversOptions extends Required<Pick<SourceOptions, "limits">> {
  readonly chain: ChainConfig
  readonly chainId: string
  /** Names of the workers that run here. */
  readonly runnable: readonly string[]
  readonly holder: string
}
