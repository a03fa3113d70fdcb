// The contract of commits: the only way in which coverage grows, and only under the fencing tokens of the leases.

import type { Lease } from "./lease-store.js"

export interface CommitWork<Tx> {
  /** Writes new rows. Runs first, before any lock of the protocol is taken. */
  write(tx: Tx): Promise<void>
  /** Changes rows that others change too, under the shared chain lock. Run before it, it would deadlock with a rollback. */
  apply?(tx: Tx): Promise<void>
  /** Runs last, after the coverage row was locked, so that it sees what neighbours committed. Throws to refuse. */
  check?(tx: Tx): Promise<void>
}

export interface FencedCommits<Tx> {
  /** Data, tests and coverage in one transaction. When it throws, such as LEASE_LOST, nothing was written. */
  commit(lease: Lease, work: CommitWork<Tx>): Promise<void>
  /** All of a group's leases, or none. A dependency that is part of the group counts as covered. */
  commitGroup(leases: readonly Lease[], work: CommitWork<Tx>): Promise<void>
}
