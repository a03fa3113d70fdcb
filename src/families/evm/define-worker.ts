// How a worker over EVM blocks is declared, and what the declarations of the built-in workers share.

import { bytes, int4, int8, timestamp } from "../../workers/column.js"
import { type DefineWorker, defineWorkerOf } from "../../workers/define-worker.js"
import type { ExtractContext as ContextOf, WorkerTables } from "../../workers/worker-definition.js"
import type { BlockView } from "./raw/block-view.js"

export type ExtractContext<Tables extends WorkerTables = WorkerTables> = ContextOf<Tables, BlockView>

export const defineWorker: DefineWorker<BlockView> = defineWorkerOf<BlockView>()

/** The first columns of a table with a row for each event: its place in the chain. */
export const eventColumns = {
  block_height: int8,
  transaction_index: int4,
  event_index: int4,
  transaction_id: bytes,
  timestamp,
}

export const partitionBlocks = 10_000_000

/** In a fold: counts rows. */
export const one = { literal: 1 } as const
