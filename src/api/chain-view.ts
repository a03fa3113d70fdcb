// What the routes need of a chain, and a guard around it: concurrent requests share one answer, reading is bounded in
// time, and the last known status is served while the database is unavailable.

import type { Clock } from "../platform/clock.js"
import { describeError, IndexerError, isIndexerError } from "../platform/errors.js"
import { scrubText } from "../platform/scrub.js"
import type { ChainStatus } from "../status/chain-status.js"
import { type Diagnosis, databaseUnreachable } from "../status/diagnosis.js"

export interface ChainView {
  readonly name: string
  status(): Promise<ChainStatus>
  diagnosis(): Diagnosis
}

/** A chain that does not run yet. */
export interface StartingChain {
  readonly name: string
  /** What it waits for, without secrets. */
  readonly reason: string
}

export interface ChainAnswer {
  readonly name: string
  /** Undefined when it was never read. */
  readonly status: ChainStatus | undefined
  readonly diagnosis: Diagnosis
  /** Why the status is not current, if it is not. */
  readonly stale: { readonly code: string; readonly message: string; readonly ageMs: number | null } | undefined
}

interface Held {
  status: ChainStatus | undefined
  readAt: number
  reading: Promise<ChainStatus> | undefined
}

/** How long one answer serves the requests that follow. */
const freshMs = 500
const waitMs = 3_000

export class ChainReader {
  private readonly held = new WeakMap<ChainView, Held>()

  constructor(private readonly clock: Clock) {}

  async read(view: ChainView): Promise<ChainAnswer> {
    const held = this.heldOf(view)
    try {
      const status = await this.inTime(held, view)
      return { name: view.name, status, diagnosis: view.diagnosis(), stale: undefined }
    } catch (error) {
      // A bug is not an outage.
      if (!isIndexerError(error)) throw error
      const message = scrubText(describeError(error))
      const ageMs = held.status ? Math.round(this.clock.monotonic() - held.readAt) : null
      const known = view.diagnosis()
      return {
        name: view.name,
        status: held.status,
        diagnosis: known.cause === "DATABASE_UNREACHABLE" ? known : databaseUnreachable(message),
        stale: { code: error.code, message, ageMs },
      }
    }
  }

  private async inTime(held: Held, view: ChainView): Promise<ChainStatus> {
    if (held.status && this.clock.monotonic() - held.readAt < freshMs) return held.status
    held.reading ??= this.start(held, view)
    const waited = new AbortController()
    const late = this.clock.sleep(waitMs, waited.signal).then(() => undefined)
    const status = await Promise.race([held.reading, late]).finally(() => waited.abort())
    if (status) return status
    throw new IndexerError(
      "DATABASE_UNREACHABLE",
      `the database of ${view.name} did not answer within ${waitMs / 1_000} s`,
    )
  }

  /** One read at a time: a database that hangs gets no further requests. */
  private start(held: Held, view: ChainView): Promise<ChainStatus> {
    const reading = view.status().then(
      (status) => {
        held.status = status
        held.readAt = this.clock.monotonic()
        held.reading = undefined
        return status
      },
      (error: unknown) => {
        held.reading = undefined
        throw error
      },
    )
    // The request that waited may have timed out by then.
    reading.catch(() => undefined)
    return reading
  }

  private heldOf(view: ChainView): Held {
    const known = this.held.get(view)
    if (known) return known
    const held: Held = { status: undefined, readAt: 0, reading: undefined }
    this.held.set(view, held)
    return held
  }
}
