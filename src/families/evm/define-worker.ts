// How a worker over EVM blocks is declared.

import { type DefineWorker, defineWorkerOf } from "../../workers/define-worker.js"
import type { ExtractContext as ContextOf, WorkerTables } from "../../workers/worker-definition.js"
import type { BlockView } from "./raw/block-view.js"

export type ExtractContext<Tables extends WorkerTables = WorkerTables> = ContextOf<Tables, BlockView>

export const defineWorker: DefineWorker<BlockView> = defineWorkerOf<BlockView>()
