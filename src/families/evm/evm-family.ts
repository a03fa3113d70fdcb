// The EVM family: everything that Tidemark knows about EVM chains.

import type { ChainFamily } from "../chain-family.js"
import { evmSettings, evmSettingsOf } from "./evm-settings.js"
import { builtInWorkers } from "./indexes/built-in-workers.js"
import { createObservers } from "./indexes/create-observers.js"
import { forgetObserved, forgetQueues } from "./indexes/forget-observed.js"
import { parseAbi } from "./parse-abi.js"
import { createNodeCalls } from "./queries/create-node-calls.js"
import { etherscanActions } from "./queries/etherscan/etherscan-actions.js"
import { evmGraph } from "./queries/evm-graph.js"
import { evmItemUris } from "./queries/evm-item-uris.js"
import { evmResources } from "./queries/evm-resources.js"
import type { EvmBlock } from "./raw/evm-block.js"
import { evmRawTables } from "./raw/raw-tables.js"
import { RawWriter } from "./raw/raw-writer.js"
import { readBlocks } from "./raw/read-blocks.js"
import { listUnchecked, rulesOf } from "./source/chain-rules.js"
import { createChainSource } from "./source/evm-source.js"
import { EvmHeadWatch } from "./source/head-watch.js"
import { allChecks } from "./source/verify-block.js"
import { storeExceptions } from "./store-exceptions.js"

export const evmFamily: ChainFamily<EvmBlock> = {
  settings: evmSettings,
  checkNames: Object.keys(allChecks),
  uncheckedOn: (chainId) => listUnchecked(rulesOf(chainId)),
  storeExceptions,
  chainName: ({ chainId }) => `evm-${chainId}`,
  createSource: createChainSource,
  createHeadWatch: (deps, { chain, chainId }) => new EvmHeadWatch(deps, { ...chain, expectedChainId: chainId }),
  rawTables: evmRawTables,
  createWriter: (chain) => new RawWriter(evmSettingsOf(chain)),
  readBlocks,
  parseAbi,
  resources: evmResources,
  etherscanActions,
  createNodeCalls,
  itemUris: evmItemUris,
  graph: evmGraph,
  workers: builtInWorkers,
  observedTables: ["contract_code", "contract_code_hashes", "search_terms", "token_metadata"],
  createObservers,
  forgetObserved,
  forgetQueues,
}
