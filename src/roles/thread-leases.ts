// Leases that a thread works under and its process keeps alive. A thread that is busy for long renews nothing; the process has
// little to do, renews those of all threads in one statement, and tells a thread when one may be over.

import type { HeldGroup, LeaseKeeper } from "../coordination/lease-keeper.js"
import { type HeldLease, type LeaseRenewer, leaseRanOut } from "../coordination/lease-renewer.js"
import type { Lease } from "../coordination/lease-store.js"

/** From a thread to its process. */
export type LeaseMessage =
  /** `sentAt`: the monotonic time at which the claim was sent. */
  | { readonly type: "held"; readonly leases: readonly Lease[]; readonly sentAt: number }
  | { readonly type: "let-go"; readonly epochs: readonly string[] }

/** From the process to the thread: it could not be renewed, and whatever it was for must not go on. */
export interface LeaseLost {
  readonly type: "lost"
  readonly epoch: string
}

/** The thread's side. */
export class ThreadLeases implements LeaseKeeper {
  private readonly post: (message: LeaseMessage) => void
  private readonly held = new Map<string, { readonly lease: Lease; readonly controller: AbortController }>()

  constructor(post: (message: LeaseMessage) => void) {
    this.post = post
  }

  hold(leases: readonly Lease[], { sentAt, signal }: { sentAt: number; signal: AbortSignal }): HeldGroup {
    const controller = new AbortController()
    for (const lease of leases) this.held.set(lease.epoch, { lease, controller })
    this.post({ type: "held", leases, sentAt })
    return {
      signal: AbortSignal.any([signal, controller.signal]),
      letGo: () => {
        for (const { epoch } of leases) this.held.delete(epoch)
        this.post({ type: "let-go", epochs: leases.map(({ epoch }) => epoch) })
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
  private readonly renewer: LeaseRenewer
  private readonly tell: (lost: LeaseLost) => void
  private readonly byEpoch = new Map<string, HeldLease>()
  private readonly neverAborted = new AbortController().signal

  constructor({ renewer, tell }: { renewer: LeaseRenewer; tell: (lost: LeaseLost) => void }) {
    this.renewer = renewer
    this.tell = tell
  }

  receive(message: LeaseMessage): void {
    if (message.type === "let-go") {
      for (const epoch of message.epochs) this.letGo(epoch)
      return
    }
    for (const lease of message.leases) {
      const { epoch } = lease
      const held = this.renewer.hold(lease, { sentAt: message.sentAt, signal: this.neverAborted })
      held.signal.addEventListener("abort", () => this.tell({ type: "lost", epoch }))
      this.byEpoch.set(epoch, held)
    }
  }

  /** What it held when it ended; none of it is renewed any more. */
  takeAll(): Lease[] {
    const leases = [...this.byEpoch.values()].map(({ lease }) => lease)
    for (const { epoch } of leases) this.letGo(epoch)
    return leases
  }

  private letGo(epoch: string): void {
    this.byEpoch.get(epoch)?.letGo()
    this.byEpoch.delete(epoch)
  }
}
