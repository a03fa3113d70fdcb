// Ranges that were held by a process when it died or stopped, watched until somebody has done them.

import type { TidemarkProcess } from "../../test/support/tidemark-process.js"
import { waitUntil } from "../../test/support/wait-until.js"
import { holderOf, type Stage } from "./stage.js"

export class LostRanges {
  readonly #stage: Stage
  readonly #timeoutMs: number
  readonly #watches: Promise<number>[] = []
  #isOver = false

  constructor(stage: Stage, { timeoutMs }: { timeoutMs: number }) {
    this.#stage = stage
    this.#timeoutMs = timeoutMs
    // Nobody waits for them where the run failed.
    stage.ending(async () => {
      this.#isOver = true
    })
  }

  get count(): number {
    return this.#watches.length
  }

  /** To be called right after the process can do no more. Returns how many it held. */
  async note(victim: TidemarkProcess): Promise<number> {
    const since = performance.now()
    const held = await this.#heldBy(victim)
    for (const { worker, from, to } of held) {
      const watch = this.#whenDone(worker, from, to).then(() => performance.now() - since)
      // Looked at in the end, by `recoveryMs`.
      watch.catch(() => undefined)
      this.#watches.push(watch)
    }
    return held.length
  }

  /**
   * Stops a process that holds a lease, and notes it. All processes are stopped while it looks for one, so that none can
   * finish its work meanwhile; the others resume.
   */
  async stopAtWork(): Promise<TidemarkProcess> {
    const { members } = this.#stage
    return this.#stage.until(
      async () => {
        for (const member of members) member.kill("SIGSTOP")
        let victim: TidemarkProcess | undefined
        try {
          for (const member of members) if (!victim && (await this.note(member)) > 0) victim = member
        } finally {
          for (const member of members) if (member !== victim) member.kill("SIGCONT")
        }
        return victim
      },
      { what: "a process holds a lease" },
    )
  }

  async #heldBy(holder: TidemarkProcess): Promise<{ worker?: string; from: number; to: number }[]> {
    const leases = [...(await this.#stage.probe.unfinished()), ...(await this.#stage.derived.leases())]
    return leases.filter(({ leasedBy, status }) => leasedBy === holderOf(holder) && status === "ACTIVE")
  }

  /** From when each was lost to when it was done, in milliseconds. */
  async recoveryMs(): Promise<number[]> {
    return Promise.all(this.#watches)
  }

  #whenDone(worker: string | undefined, from: number, to: number): Promise<unknown> {
    const { probe, derived } = this.#stage
    const look = (): Promise<object[]> =>
      worker === undefined
        ? probe.rows("select 1 from raw.coverage where heights @> int8range($1, $2)", [from, to])
        : derived.rows("select 1 from app.coverage where worker_type = $3 and heights @> int8range($1, $2)", [
            from,
            to,
            worker,
          ])
    return waitUntil(async () => this.#isOver || (await look()).length > 0, {
      what: `${worker ?? "raw"} [${from}, ${to}) done by another process`,
      timeoutMs: this.#timeoutMs,
      everyMs: 100,
    })
  }
}
