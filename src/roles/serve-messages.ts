// The messages between the thread that serves and its process, beside those of every thread.

import type { Access } from "../api/access.js"
import type { ErrorCode } from "../platform/errors.js"
import type { ChainConfig } from "../platform/load-config.js"
import type { ProcessSettings } from "../platform/settings.js"
import type { SharedLimitHandle } from "../source/shared-limit.js"
import type { ChainStatus } from "../status/chain-status.js"
import type { Diagnosis } from "../status/diagnosis.js"
import type { ChainDatabases } from "./chain-databases.js"

export interface ServeThreadInput {
  readonly settings: ProcessSettings
  readonly access: Access
  readonly version: string
  /** Whether any chain of the process can be written to. */
  readonly writes: boolean
  /** The one it listened on before, if it is started again. */
  readonly port: number
}

/** A chain that can be read. */
export interface ServedDatabases extends ChainDatabases {
  readonly name: string
  /** Where operators' acts write; undefined: this process cannot. */
  readonly writable: ChainDatabases | undefined
  readonly nodes: ServedNodes
  /** Of the config. */
  readonly abis: ChainConfig["abis"]
}

/** Nodes that clients' calls are passed to; without URLs where the process has none. */
export interface ServedNodes extends Pick<ChainConfig, "proxy" | "rpcHeaders" | "rpcUrls"> {
  /** Shared with all threads of the process. */
  readonly limits: readonly SharedLimitHandle[]
}

export type Question =
  | { readonly about: "metrics" }
  | { readonly about: "starting" }
  | { readonly about: "status"; readonly chain: string }

export interface KnownStatus {
  readonly status: ChainStatus
  readonly diagnosis: Diagnosis
}

export type ToServeThread =
  | ({ readonly type: "chain" } & ServedDatabases)
  | { readonly type: "answer"; readonly id: number; readonly value: unknown }
  | { readonly type: "refusal"; readonly id: number; readonly code: ErrorCode | "BUG"; readonly message: string }

export type FromServeThread =
  | { readonly type: "listening"; readonly url: string; readonly port: number }
  | { readonly type: "failed"; readonly code: ErrorCode | "BUG"; readonly message: string }
  | { readonly type: "question"; readonly id: number; readonly question: Question }
