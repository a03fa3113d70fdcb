// Follows /v1/stream over restarts of the server, always from the last id: every event comes once, in order.

import { EventStream } from "../../../test/support/event-stream.js"
import type { StoreProbe } from "../../../test/support/store-probe.js"
import { pause } from "../../../test/support/wait-until.js"

export interface StreamFollowerOptions {
  readonly url: string
  readonly signal: AbortSignal
}

interface Heard {
  readonly sequence: number
  readonly kind: string
}

const againMs = 20

export class StreamFollower {
  readonly heard: Heard[] = []
  connections = 0
  readonly violations: string[] = []
  readonly done: Promise<void>
  #lastEventId = ""
  #stream: EventStream | undefined
  /** Events of the open stream that were heard. */
  #taken = 0

  constructor(private readonly options: StreamFollowerOptions) {
    this.done = this.#follow()
  }

  get last(): number {
    this.#take()
    return this.heard.at(-1)?.sequence ?? 0
  }

  /** Compares with the outbox. Throws where an event is missing, comes twice or is another. */
  async compare(app: Pick<StoreProbe, "rows">): Promise<void> {
    const first = this.heard[0]?.sequence ?? 0
    const told = await app.rows<Heard>(
      "select sequence::int8::text::float8 as sequence, kind from app.outbox where sequence between $1 and $2 order by 1",
      [first, this.last],
    )
    const differs = told.findIndex(({ sequence, kind }, at) => {
      const other = this.heard[at]
      return other?.sequence !== sequence || other.kind !== kind
    })
    if (this.heard.length === told.length && differs < 0) return
    throw new Error(
      `the stream had ${this.heard.length} events from ${first} to ${this.last}, and the outbox has ${told.length}; ` +
        `the first that differs: ${JSON.stringify({ heard: this.heard[differs], told: told[differs] })}`,
    )
  }

  async #follow(): Promise<void> {
    const { url, signal } = this.options
    while (!signal.aborted) {
      try {
        const stream = await EventStream.open(url, { lastEventId: this.#lastEventId })
        this.connections++
        this.#stream = stream
        this.#taken = 0
        const stop = () => stream.close()
        signal.addEventListener("abort", stop, { once: true })
        await stream.ended(3_600_000)
        signal.removeEventListener("abort", stop)
        this.#take()
        this.#lastEventId = stream.lastEventId
        this.#stream = undefined
      } catch (error) {
        // Killed, or not there yet.
        if (!/ECONN|socket hang up|404/.test(String(error))) this.violations.push(String(error))
      }
      await pause(againMs)
    }
  }

  #take(): void {
    const events = this.#stream?.events.slice(this.#taken) ?? []
    this.#taken += events.length
    for (const { id, event } of events) {
      if (event === "close") continue
      if (event === "reset" || id === undefined) this.violations.push(`the stream says ${event}`)
      else this.heard.push({ sequence: Number(id.slice(id.indexOf(":") + 1)), kind: event })
    }
  }
}
