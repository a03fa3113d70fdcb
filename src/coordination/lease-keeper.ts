// Whoever keeps a group's leases alive while it is derived. In a work thread that is the process: an extract that does not
// return must neither lose its lease before its deadline nor keep it afterwards.

import type { Lease } from "./lease-store.js"

export interface HeldGroup {
  /** Aborts when one of the leases may be over. */
  readonly signal: AbortSignal
  letGo(): void
}

export interface LeaseKeeper {
  /** `sentAt`: the monotonic time at which the claim was sent. */
  hold(leases: readonly Lease[], options: { sentAt: number; signal: AbortSignal }): HeldGroup
}
