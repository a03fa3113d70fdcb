// The workers that come with Tidemark. Their dependencies, not this order, decide which runs first.

import type { WorkerDefinition } from "../../../workers/worker-definition.js"
import { accountsWorker } from "./accounts/accounts-worker.js"
import { evmWorker } from "./evm/evm-worker.js"
import { ftHoldingsWorker } from "./ft-holdings/ft-holdings-worker.js"
import { metaWorker } from "./meta/meta-worker.js"
import { nftOwnershipWorker } from "./nft-ownership/nft-ownership-worker.js"
import { searchWorker } from "./search/search-worker.js"
import { statsWorker } from "./stats/stats-worker.js"
import { metadataWorker } from "./token-metadata/metadata-worker.js"
import { tokenWorker } from "./tokens/token-worker.js"
import { txContractsWorker } from "./tx-contracts/tx-contracts-worker.js"
import { txMetricsWorker } from "./tx-metrics/tx-metrics-worker.js"

export const builtInWorkers: readonly WorkerDefinition[] = [
  evmWorker,
  tokenWorker,
  metaWorker,
  txMetricsWorker,
  accountsWorker,
  ftHoldingsWorker,
  nftOwnershipWorker,
  txContractsWorker,
  metadataWorker,
  statsWorker,
  searchWorker,
]
