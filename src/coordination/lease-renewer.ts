// Renews the leases of a process's threads, and aborts work locally before its lease can expire: by a monotonic clock,
// counted from when the claim or renewal was sent, so that a slow answer does not extend the lease.

import { setMaxListeners } from "node:events"
import { formatRange } from "../domain/block-range.js"
import { IndexerError } from "../platform/errors.js"
import { LoopingService } from "../platform/looping-service.js"
import type { ServiceDeps } from "../platform/service.js"
import type { HeldGroup, LeaseKeeper } from "./lease-keeper.js"
import type { Lease, LeaseToken } from "./lease-store.js"

interface Held {
  readonly lease: Lease
  deadline: number
}

interface Group {
  readonly members: readonly Held[]
  readonly controller: AbortController
  /** Aborted when the group is let go: a wait for its deadline would delay the end of the thread. */
  readonly gone: AbortController
}

export interface LeaseRenewerOptions extends ServiceDeps {
  readonly renew: (tokens: readonly LeaseToken[]) => Promise<readonly LeaseToken[]>
  /** The shortest lease time in use; renewal happens every third of it. */
  readonly shortestTtlMs: number
}

/** Work stops a tenth of the lease time before its end. */
const marginPart = 10

export class LeaseRenewer extends LoopingService implements LeaseKeeper {
  private readonly held = new Map<string, Held>()
  private readonly renew: LeaseRenewerOptions["renew"]

  constructor(options: LeaseRenewerOptions) {
    super({
      name: "lease-renewer",
      clock: options.clock,
      logger: options.logger,
      intervalMs: Math.max(50, Math.floor(options.shortestTtlMs / 3)),
      maxBackoffMs: Math.max(50, Math.floor(options.shortestTtlMs / 3)),
    })
    this.renew = options.renew
  }

  hold(leases: readonly Lease[], { sentAt, signal }: { sentAt: number; signal: AbortSignal }): HeldGroup {
    const controller = new AbortController()
    const gone = new AbortController()
    // Not AbortSignal.any, which costs more than the rest of this function.
    const stop = (): void => controller.abort(signal.reason)
    // One listener for each lease is no leak.
    setMaxListeners(0, signal)
    signal.addEventListener("abort", stop, { once: true })
    if (signal.aborted) stop()
    const members = leases.map((lease) => ({ lease, deadline: localDeadline(lease, sentAt) }))
    for (const member of members) this.held.set(member.lease.epoch, member)
    void this.watch({ members, controller, gone })
    return {
      signal: controller.signal,
      letGo: () => {
        for (const { epoch } of leases) this.held.delete(epoch)
        signal.removeEventListener("abort", stop)
        // With a reason: the default one is an exception with a stack.
        gone.abort("let go")
      },
    }
  }

  async runOnce(): Promise<undefined> {
    const all = [...this.held.values()]
    if (all.length === 0) return undefined
    const sentAt = this.clock.monotonic()
    const kept = new Set((await this.renew(all.map(({ lease }) => lease))).map(({ epoch }) => epoch))
    // A lease that was not renewed is either lost or in the middle of its commit; its deadline decides.
    for (const held of all) if (kept.has(held.lease.epoch)) held.deadline = localDeadline(held.lease, sentAt)
  }

  private async watch({ members, controller, gone }: Group): Promise<void> {
    while (!gone.signal.aborted) {
      const first = members.reduce((a, b) => (b.deadline < a.deadline ? b : a))
      const leftMs = first.deadline - this.clock.monotonic()
      if (leftMs <= 0) {
        for (const { lease } of members) this.held.delete(lease.epoch)
        controller.abort(leaseRanOut(first.lease))
        return
      }
      await this.clock.sleep(Math.min(leftMs, 1_000), gone.signal)
    }
  }
}

export const leaseRanOut = ({ range }: Lease): IndexerError =>
  new IndexerError(
    "LEASE_LOST",
    `the lease on ${formatRange(range)} expired before the work was done; nothing was written`,
  )

const localDeadline = (lease: Lease, sentAt: number): number => sentAt + lease.ttlMs - lease.ttlMs / marginPart
