// Leases that a thread works under and its process renews. A busy thread cannot renew on time, so the process renews the
// leases of all threads in one statement and notifies a thread when one may have expired.

import type { HeldGroup, LeaseKeeper } from "../coordination/lease-keeper.js"
import { leaseRanOut } from "../coordination/lease-renewer.js"
import type { Lease } from "../coordination/lease-store.js"
import type { LeaseLost, LeaseMessage } from "./thread-messages.js"

/** The thread's side. */
export class ThreadLeases implements LeaseKeeper {
  private readonly held = new Map<string, { readonly lease: Lease; readonly controller: AbortController }>()

  constructor(private readonly send: (message: LeaseMessage) => void) {}

  hold(leases: readonly Lease[], { sentAt, signal }: { sentAt: number; signal: AbortSignal }): HeldGroup {
    const controller = new AbortController()
    const lease = leases[0]!
    const { epoch } = lease
    this.held.set(epoch, { lease, controller })
    this.send({ type: "held", leases, sentAt })
    return {
      signal: AbortSignal.any([signal, controller.signal]),
      letGo: () => {
        this.held.delete(epoch)
        this.send({ type: "let-go", epoch })
      },
    }
  }

  lose({ epoch }: LeaseLost): void {
    const held = this.held.get(epoch)
    held?.controller.abort(leaseRanOut(held.lease))
  }
}

/** The process's side, for one thread. */
export class HeldByThread {
  private readonly keeper: LeaseKeeper
  private readonly onLost: (lost: LeaseLost) => void
  private readonly byEpoch = new Map<string, { readonly leases: readonly Lease[]; readonly group: HeldGroup }>()
  private readonly neverAborted = new AbortController().signal

  constructor({ keeper, onLost }: { keeper: LeaseKeeper; onLost: (lost: LeaseLost) => void }) {
    this.keeper = keeper
    this.onLost = onLost
  }

  receive(message: LeaseMessage): void {
    if (message.type === "let-go") {
      this.letGo(message.epoch)
      return
    }
    const { leases, sentAt } = message
    const { epoch } = leases[0]!
    const group = this.keeper.hold(leases, { sentAt, signal: this.neverAborted })
    group.signal.addEventListener("abort", () => this.onLost({ type: "lost", epoch }))
    this.byEpoch.set(epoch, { leases, group })
  }

  /** Returns what the thread held when it ended, and stops renewing it. */
  takeAll(): Lease[] {
    const leases = [...this.byEpoch.values()].flatMap((held) => held.leases)
    for (const epoch of this.byEpoch.keys()) this.letGo(epoch)
    return leases
  }

  private letGo(epoch: string): void {
    this.byEpoch.get(epoch)?.group.letGo()
    this.byEpoch.delete(epoch)
  }
}
