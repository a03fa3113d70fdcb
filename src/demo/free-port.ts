// Ports of this machine that nobody listens on.

import type { Clock } from "../platform/clock.js"
import { IndexerError } from "../platform/errors.js"
import { tryPort } from "../platform/try-port.js"

const patienceMs = 2_000
const pollMs = 20

/** Waits a little: a process that has just ended may hold its port some milliseconds longer. */
export async function becomesFree(port: number, clock: Clock): Promise<boolean> {
  const deadline = clock.monotonic() + patienceMs
  while ((await tryPort(port)) === undefined) {
    if (clock.monotonic() > deadline) return false
    await clock.sleep(pollMs)
  }
  return true
}

export async function anyFreePort(): Promise<number> {
  const port = await tryPort(0)
  if (port !== undefined) return port
  throw new IndexerError("DEMO_FAILED", "no free port on 127.0.0.1 was found for the demo chain's node")
}
