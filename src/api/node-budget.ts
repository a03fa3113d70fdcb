// How many calls to the node each client may cause in a minute: every one costs the operator.

import type { Clock } from "../platform/clock.js"

const minute = 60_000
/** Bounds the memory. The oldest window is forgotten first, in favour of its client. */
const mostClients = 10_000

export class NodeBudget {
  private readonly windows = new Map<string, { readonly since: number; calls: number }>()

  constructor(
    private readonly clock: Clock,
    private readonly callsPerMinute: number,
  ) {}

  /** False: the client has used up this minute. */
  take(client: string): boolean {
    const now = this.clock.monotonic()
    let window = this.windows.get(client)
    if (!window || now - window.since >= minute) {
      window = { since: now, calls: 0 }
      this.windows.delete(client)
      this.windows.set(client, window)
      if (this.windows.size > mostClients) this.windows.delete(this.windows.keys().next().value!)
    }
    return ++window.calls <= this.callsPerMinute
  }
}
