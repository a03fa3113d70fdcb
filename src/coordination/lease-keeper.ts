// Keeps a group's leases alive while its range is worked on. In a thread the process does it: an extract that does not
// return must neither lose its lease before its deadline nor keep it afterwards.

import type { Lease } from "./lease-store.js"

export interface HeldGroup {
  /** Aborts when one of the leases may have expired. */
  readonly signal: AbortSignal
  letGo(): void
}

export interface LeaseKeeper {
  /** `sentAt`: the monotonic time at which the claim was sent. */
  hold(leases: readonly Lease[], options: { sentAt: number; signal: AbortSignal }): HeldGroup
}
