// What every service needs that asks a node about contracts, some at a time, beside any number of others that do the same.

import type { Clock } from "../../../../platform/clock.js"
import type { Logger } from "../../../../platform/logger.js"
import type { Random } from "../../../../platform/random.js"
import type { Database } from "../../../../postgres/database.js"
import type { ObservedBlock } from "./ask-at-block.js"
import type { ContractNode } from "./contract-node.js"

export interface ObserverOptions {
  /** Of the app schema. */
  readonly database: Database
  /** Its time and size limits bound what one contract can cost. A source of its own: slow contracts trip its circuit, not the ingest's. */
  readonly node: ContractNode
  /** The covered block to ask at; undefined while there is none. Called after the claim, and never to answer from before it. */
  readonly observedBlock: (signal: AbortSignal) => Promise<ObservedBlock | undefined>
  readonly clock: Clock
  readonly logger: Logger
  readonly random?: Random
  readonly intervalMs: number
  /** Contracts in one claim. */
  readonly batchSize?: number
  /** Longer than a batch takes. A process that dies keeps its contracts waiting this long. */
  readonly claimMs?: number
}
