// What every thread and its process tell each other. What only some do is added where they are composed.

import type { Lease } from "../coordination/lease-store.js"

export interface ThreadLog {
  readonly type: "log"
  readonly level: "debug" | "info" | "warn" | "error" | "fatal"
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string
}

/** A group of leases goes by the epoch of its first. */
export type LeaseMessage =
  /** `sentAt`: the monotonic time at which the claim was sent. */
  | { readonly type: "held"; readonly leases: readonly Lease[]; readonly sentAt: number }
  | { readonly type: "let-go"; readonly epoch: string }

/** It could not be renewed: whatever it was for must not go on. */
export interface LeaseLost {
  readonly type: "lost"
  readonly epoch: string
}

export type FromAnyThread = ThreadLog | LeaseMessage

export type ToAnyThread =
  | { readonly type: "stop" }
  | { readonly type: "pause"; readonly reason: string | null }
  | LeaseLost
