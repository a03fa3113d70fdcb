// A client of /v1/stream over a socket of its own: it keeps every event, and can stop reading.

import { get, type IncomingMessage } from "node:http"

export interface StreamEvent {
  readonly id: string | undefined
  readonly event: string
  readonly data: Record<string, unknown>
}

export class EventStream {
  readonly events: StreamEvent[] = []
  heartbeats = 0
  lastEventId = ""
  private rest = ""
  private waiting: (() => void)[] = []
  isEnded = false

  private constructor(readonly response: IncomingMessage) {
    response.setEncoding("utf8")
    response.on("data", (text: string) => this.receive(text))
    for (const name of ["end", "close", "error"])
      response.on(name, () => {
        this.isEnded = true
        this.wake()
      })
  }

  static open(url: string, { lastEventId = "", paused = false } = {}): Promise<EventStream> {
    return new Promise((resolve, reject) => {
      const headers = lastEventId === "" ? {} : { "last-event-id": lastEventId }
      get(url, { headers, agent: false }, (response) => {
        if (response.statusCode !== 200) {
          let body = ""
          response.on("data", (text) => {
            body += text
          })
          response.on("end", () => reject(new Error(`${response.statusCode} ${body}`)))
          return
        }
        const stream = new EventStream(response)
        stream.lastEventId = lastEventId
        if (paused) response.pause()
        resolve(stream)
      }).on("error", reject)
    })
  }

  /** Waits until it holds. */
  async until(holds: () => boolean, withinMs = 20_000): Promise<void> {
    const end = Date.now() + withinMs
    while (!holds()) {
      const left = end - Date.now()
      if (left <= 0 || this.isEnded)
        throw new Error(`not seen; the last of ${this.events.length} events: ${this.last()}`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left)
        this.waiting.push(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
  }

  async ended(withinMs = 20_000): Promise<void> {
    await this.until(() => this.isEnded, withinMs).catch((error: unknown) => {
      if (!this.isEnded) throw error
    })
  }

  close(): void {
    this.response.destroy()
  }

  private last(): string {
    return JSON.stringify(this.events.at(-1))
  }

  private receive(text: string): void {
    const blocks = (this.rest + text).split("\n\n")
    this.rest = blocks.pop()!
    for (const block of blocks) this.add(block)
    this.wake()
  }

  private add(block: string): void {
    if (block.startsWith(":")) this.heartbeats++
    const fields = new Map(
      block.split("\n").map((line): [string, string] => [line.split(": ", 1)[0]!, line.slice(line.indexOf(": ") + 2)]),
    )
    const id = fields.get("id")
    if (id !== undefined) this.lastEventId = id
    const data = fields.get("data")
    if (data !== undefined) this.events.push({ id, event: fields.get("event") ?? "message", data: JSON.parse(data) })
  }

  private wake(): void {
    for (const wake of this.waiting.splice(0)) wake()
  }
}
