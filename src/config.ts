// What a user's tidemark.config.ts and the workers in it import: `import { defineConfig, defineWorker } from "tidemark"`.

import type { EvmSettingValues } from "./families/evm/evm-settings.js"
import type { CheckSwitches } from "./families/evm/source/verify-block.js"
import type { ChainSettingValues, ProcessSettings } from "./platform/settings.js"
import type { WorkerDefinition } from "./workers/worker-definition.js"

export { defineWorker, type ExtractContext } from "./families/evm/define-worker.js"
export type { BlockView, EventView, TransactionView } from "./families/evm/raw/block-view.js"
export { type DecodedLog, type DecodedLogsOptions, decodedLogs } from "./families/evm/raw/decoded-logs.js"
export {
  amount,
  bool,
  bytes,
  type Column,
  date,
  int2,
  int4,
  int8,
  nullable,
  numeric,
  text,
  timestamp,
} from "./workers/column.js"
export { eventTable, first, last, max, min, stateTable, sum } from "./workers/define-worker.js"
export type { EncodedField } from "./workers/encoded-field.js"
export type {
  EventTable,
  FoldSource,
  StateTable,
  UpstreamRow,
  WorkerDefinition,
} from "./workers/worker-definition.js"

export interface ChainDefinition extends Partial<ChainSettingValues & EvmSettingValues> {
  /** http(s) URLs to ask, ws(s) URLs that announce heads. */
  readonly rpc: string | readonly string[]
  /** Headers for the nodes, such as API keys: by name, or by host and name where there are several hosts. */
  readonly rpcHeaders?: Readonly<Record<string, string>> | Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Checks to turn off, for chains that serve wrong data there. */
  readonly checks?: Partial<CheckSwitches>
  /** Interfaces of contracts, by which calls and events are decoded; without an address, of any contract. */
  readonly abis?: readonly { readonly name: string; readonly address?: string; readonly abi: readonly object[] }[]
}

export interface ConfigDefinition extends Partial<ProcessSettings> {
  readonly chains?: Readonly<Record<string, ChainDefinition>>
  /** Your own workers, beside those that come with Tidemark; for every chain of the file. */
  readonly workers?: readonly WorkerDefinition[]
}

/** Types the config; returns it as it is. */
export const defineConfig = (config: ConfigDefinition): ConfigDefinition => config
