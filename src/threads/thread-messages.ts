// The messages that every thread and its process exchange. src/roles adds those of one kind of thread.

import type { Lease } from "../coordination/lease-store.js"
import type { ChainConfig } from "../platform/load-config.js"
import type { ProcessSettings } from "../platform/settings.js"

/** The first message a thread receives. */
export interface ThreadInput {
  readonly index: number
  readonly holder: string
  readonly chain: ChainConfig
  readonly chainName: string
  readonly rawUrl: string
  readonly settings: ProcessSettings
  /** For history. */
  readonly lanes: number
  /** Shared by the threads of the chain: whether a new block is being stored or derived. */
  readonly gate: SharedArrayBuffer
}

export interface ThreadLog {
  readonly type: "log"
  readonly level: "debug" | "info" | "warn" | "error" | "fatal"
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string
}

/** A group of leases is identified by the epoch of its first. */
export type LeaseMessage =
  /** `sentAt`: the monotonic time at which the claim was sent. */
  | { readonly type: "held"; readonly leases: readonly Lease[]; readonly sentAt: number }
  | { readonly type: "let-go"; readonly epoch: string }

/** The lease could not be renewed: its work must stop. */
export interface LeaseLost {
  readonly type: "lost"
  readonly epoch: string
}

export type FromAnyThread = ThreadLog | LeaseMessage

export type ToAnyThread =
  | { readonly type: "stop" }
  | { readonly type: "pause"; readonly reason: string | null }
  | LeaseLost
