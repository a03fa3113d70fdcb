// The EVM family: everything that Tidemark knows about EVM chains.

import type { ChainFamily } from "../chain-family.js"
import { builtInWorkers } from "./indexes/built-in-workers.js"
import { createObservers } from "./indexes/create-observers.js"
import { forgetObserved, forgetQueues } from "./indexes/forget-observed.js"
import { evmComparedTables, evmPartitionedTables } from "./raw/raw-tables.js"
import { RawWriter } from "./raw/raw-writer.js"
import { readBlocks } from "./raw/read-blocks.js"
import { createChainSource } from "./source/evm-source.js"
import { EvmHeadWatch } from "./source/head-watch.js"

export const evmFamily: ChainFamily = {
  chainName: ({ chainId }) => `evm-${chainId}`,
  createSource: createChainSource,
  createHeadWatch: (deps, { chain, chainId }) =>
    new EvmHeadWatch(deps, { wsUrls: chain.wsUrls, expectedChainId: chainId }),
  partitionedTables: evmPartitionedTables,
  createWriter: (options) => new RawWriter(options),
  comparedTables: evmComparedTables,
  readBlocks,
  workers: builtInWorkers,
  createObservers,
  forgetObserved,
  forgetQueues,
}
