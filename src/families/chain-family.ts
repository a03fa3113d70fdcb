// All that is specific to a chain family, as one record. Code outside src/families gets the parts of it that it needs.
//
// Common to all families, so that any code may rely on it:
// - a block is linked: height, hash, parent, time, counts of transactions and events (LinkedBlock);
// - raw.blocks has its place (height, hash, parent_hash, timestamp) and its counts (transaction_count, event_count);
// - raw.transactions has a row for each transaction: block_height, transaction_index, id, event_count;
// - raw.events has a row for each event: block_height, transaction_index, event_index, transaction_id;
// - raw.tx_lookup and raw.block_lookup find each transaction and block by its id.
//
// A family adds the other columns of these tables, further raw tables, and how its rows are numbered.

import type { CoverageLedger } from "../coordination/coverage-ledger.js"
import type { JobQueue } from "../coordination/job-queue.js"
import type { BlockRange } from "../domain/block-range.js"
import type { Hex, LinkedBlock } from "../domain/linked-block.js"
import type { PartitionedTable } from "../partitions/partitioned-table.js"
import type { ChainConfig, FamilySettings } from "../platform/load-config.js"
import type { RpcCounts } from "../platform/metrics.js"
import type { RuntimeDeps, Service } from "../platform/service.js"
import type { Database } from "../postgres/database.js"
import type { Queryable } from "../postgres/transaction.js"
import type { EtherscanAction } from "../queries/etherscan/etherscan-action.js"
import type { GraphFamily } from "../queries/graphql/graph-table.js"
import type { ItemUris } from "../queries/item-uris.js"
import type { NodeCalls } from "../queries/node-calls.js"
import type { ApiResource } from "../queries/resource.js"
import type { BlockWriter } from "../raw/block-writer.js"
import type { BlockSource, ChainIdentity, HeadWatch } from "../source/block-source.js"
import type { SharedLimitHandle } from "../source/shared-limit.js"
import type { ReadBlocks } from "../workers/raw-range.js"
import type { WorkerDefinition } from "../workers/worker-definition.js"

/**
 * Its writer accepts the blocks of its source and no others. Composition pairs the two, so code that only passes blocks
 * from one to the other need not know their type.
 */
export interface ChainFamily<Block extends LinkedBlock = LinkedBlock> extends FamilySettings {
  /** The name of a chain that the config gives none. */
  chainName(identity: ChainIdentity): string

  /** What Tidemark cannot check of this chain's blocks, in words; empty where nothing is left out. */
  uncheckedOn(chainId: string): readonly string[]
  storeExceptions(
    chainId: string,
    options: { readonly checks: Readonly<Record<string, boolean>> },
  ): readonly StoreException[]

  createSource(deps: RuntimeDeps, options: SourceOptions): BlockSource<Block>
  createHeadWatch(
    deps: RuntimeDeps,
    options: {
      readonly chain: Pick<ChainConfig, "wsUrls"> & Partial<Pick<ChainConfig, "proxy" | "rpcHeaders">>
      readonly chainId: string
    },
  ): HeadWatch

  /** What the writer fills, except the lookups. */
  readonly rawTables: readonly RawTable[]
  createWriter(chain?: Pick<ChainConfig, "familySettings">): BlockWriter<Block>
  readonly readBlocks: ReadBlocks

  /** What the API answers about a chain of this family. */
  readonly resources: readonly ApiResource[]
  /** The same in the format of Etherscan. */
  readonly etherscanActions: readonly EtherscanAction[]
  /** Calls of clients that only a node can answer. */
  createNodeCalls(deps: RuntimeDeps, options: SourceOptions): NodeCalls
  /** Documents of NFTs. */
  readonly itemUris: ItemUris
  /** What GraphQL shows beside the tables of workers. */
  readonly graph: GraphFamily

  /** Built in: derived on every chain of the family unless its settings disable them. */
  readonly workers: readonly WorkerDefinition[]
  /** Tables of schema app that the observers fill: no worker may have one of these names. */
  readonly observedTables: readonly string[]
  /** Services that observe what is in no block, for the workers that run. */
  createObservers(deps: ObserverDeps, options: ObserversOptions): Service[]
  /** Removes observations at the heights that a rollback removes, in its transaction and under its lock. */
  forgetObserved(jobs: JobQueue, tx: Queryable, options: { readonly removed: BlockRange }): Promise<void>
  /** Clears the observation queues of workers that are derived again from the start. */
  forgetQueues(tx: Queryable, workers: readonly string[]): Promise<void>
}

/** A rule that stored blocks of a chain need not keep to, and why: the chain differs, or its check is off. */
export interface StoreException {
  readonly rule: "parent-links" | "event-numbers"
  readonly why: string
}

/** A table whose rows come and go with their block. */
export interface RawTable extends PartitionedTable {
  readonly schema: "raw"
  /** The column that holds the height. */
  readonly height: string
  readonly key: readonly string[]
  /** Those that the chain defines, so that two nodes must agree on them. */
  readonly columns: readonly string[]
  /** A column that counts from 0 without a gap among the rows that agree in some others. */
  readonly numbered?: {
    readonly column: string
    readonly within: readonly string[]
    /** Not by their place in the block: a chain may do it otherwise. */
    readonly isByChain?: true
  }
}

export interface SourceOptions {
  readonly chain: Pick<ChainConfig, "rpcUrls"> &
    Partial<
      Pick<
        ChainConfig,
        | "checks"
        | "familySettings"
        | "frozenAfterBlocks"
        | "proxy"
        | "rpcBatchBlocks"
        | "rpcCompression"
        | "rpcHeaders"
        | "rpcMaxResponseBytes"
        | "rpcTimeoutMs"
      >
    >
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
  /** What they have asked their nodes since they last said so. */
  readonly onCalls: (calls: readonly RpcCounts[]) => void
}
