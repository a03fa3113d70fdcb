// The thread's end of the channel to its process: receives the input and the messages, and shuts the thread down. At a
// stop, ranges in progress may finish within the drain time; the others are aborted and released.

import { parentPort } from "node:worker_threads"
import type { LeasedRangeRunner } from "../coordination/leased-range-runner.js"
import type { Clock } from "../platform/clock.js"
import type { Logger } from "../platform/logger.js"
import type { Service } from "../platform/service.js"
import { ThreadLeases } from "./thread-leases.js"
import type { FromAnyThread, ThreadLog, ToAnyThread } from "./thread-messages.js"

export interface ThreadParts<To> {
  readonly services: readonly Service[]
  readonly runners: readonly LeasedRangeRunner[]
  /** Stopped last, since it reports what the others did. */
  readonly reporter: Service
  readonly clock: Clock
  readonly drainMs: number
  receive(message: To): void
  /** Before draining. */
  readonly onStop?: () => Promise<void>
  /** Closed after all services have stopped. */
  readonly closing: readonly { close(): Promise<void> }[]
}

export class ThreadPort<To, From> {
  readonly leases = new ThreadLeases((message) => this.send(message))
  private readonly port = parentPort!
  private readonly waiting: (To | ToAnyThread)[] = []
  private parts: ThreadParts<To> | undefined
  private paused: string | null = null

  /** The first message is the input. Those that follow wait until the thread runs. */
  static async open<Input, To, From>(): Promise<{ input: Input; thread: ThreadPort<To, From> }> {
    const thread = new ThreadPort<To, From>()
    const input = await new Promise<Input>((resolve) => {
      let take = (message: unknown): void => {
        take = (next) => thread.receive(next as To | ToAnyThread)
        resolve(message as Input)
      }
      thread.port.on("message", (message) => take(message))
    })
    return { input, thread }
  }

  send(message: From | FromAnyThread): void {
    this.port.postMessage(message)
  }

  mayClaim(): boolean {
    return this.paused === null
  }

  /** Sends its lines to the process, which writes them. */
  logger(bound: Readonly<Record<string, unknown>>): Logger {
    const at =
      (level: ThreadLog["level"]) =>
      (fields: Readonly<Record<string, unknown>>, message: string): void =>
        this.send({ type: "log", level, fields: { ...bound, ...fields }, message })
    return {
      ...{ debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error"), fatal: at("fatal") },
      child: (fields) => this.logger({ ...bound, ...fields }),
    }
  }

  run(parts: ThreadParts<To>): void {
    this.parts = parts
    for (const service of [parts.reporter, ...parts.services]) service.start()
    for (const message of this.waiting.splice(0)) this.receive(message)
  }

  private receive(message: To | ToAnyThread): void {
    if (!this.parts) this.waiting.push(message)
    else if (!isToAny(message)) this.parts.receive(message)
    else if (message.type === "pause") this.paused = message.reason
    else if (message.type === "lost") this.leases.lose(message)
    else void this.stop(this.parts)
  }

  private async stop(parts: ThreadParts<To>): Promise<void> {
    const { services, runners, reporter, clock, drainMs, onStop, closing } = parts
    this.paused = "draining"
    await onStop?.()
    const drained = new AbortController()
    const allIdle = Promise.all(runners.map((runner) => runner.idle())).then(() => drained.abort())
    await Promise.race([allIdle, clock.sleep(drainMs, drained.signal)])
    await Promise.all(services.map((service) => service.stop()))
    await reporter.stop()
    await Promise.allSettled([...runners, ...closing].map((one) => one.close()))
    this.port.close()
  }
}

const toAny: readonly string[] = ["stop", "pause", "lost"] satisfies ToAnyThread["type"][]

const isToAny = (message: unknown): message is ToAnyThread => toAny.includes((message as ToAnyThread).type)
