// The ingest threads of one chain: started, started again when one dies, told to pause and to stop. A thread that crashes
// takes only its own ranges with it, and their leases pass to others.

import { Worker } from "node:worker_threads"
import type { Clock } from "../platform/clock.js"
import { describeError } from "../platform/errors.js"
import type { Logger } from "../platform/logger.js"
import type { Service } from "../platform/service.js"
import type { FromThread, IngestThreadInput, ThreadReport, ToThread } from "./ingest-messages.js"

export interface IngestThreadsOptions {
  readonly inputs: readonly IngestThreadInput[]
  readonly clock: Clock
  readonly logger: Logger
  readonly drainMs: number
  readonly onReport: (thread: number, report: ThreadReport) => void
  readonly onAnnounced: (head: { readonly height: number; readonly at: number }) => void
  readonly onStored: () => void
}

// Room for one 50,000-log block beside the lanes' ordinary work, and no more: a runaway must end as a failed thread.
const resourceLimits = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 48 }
const restartBaseMs = 500
const restartMaxMs = 10_000
const stopGraceMs = 5_000

export class IngestThreads implements Service {
  readonly name = "ingest-threads"
  private readonly options: IngestThreadsOptions
  private readonly stopping = new AbortController()
  private readonly workers = new Map<number, Worker>()
  private running: Promise<void>[] | undefined
  private paused: string | null = null

  constructor(options: IngestThreadsOptions) {
    this.options = options
  }

  start(): void {
    this.running ??= this.options.inputs.map((input) => this.keep(input))
  }

  pause(reason: string | null): void {
    this.paused = reason
    for (const worker of this.workers.values()) send(worker, { type: "pause", reason })
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    for (const worker of this.workers.values()) send(worker, { type: "stop" })
    const all = Promise.all(this.running ?? [])
    const done = new AbortController()
    void all.then(() => done.abort())
    await this.options.clock.sleep(this.options.drainMs + stopGraceMs, done.signal)
    for (const worker of this.workers.values()) await worker.terminate()
    await all
  }

  private async keep(input: IngestThreadInput): Promise<void> {
    const { clock, logger } = this.options
    const { signal } = this.stopping
    for (let crashes = 0; !signal.aborted; ) {
      const began = clock.monotonic()
      const failure = await this.run(input)
      if (signal.aborted) return
      crashes = clock.monotonic() - began > 60_000 ? 1 : crashes + 1
      logger.error(
        { thread: input.index, crashes, error: failure },
        "an ingest thread died, starting it again",
      )
      await clock.sleep(Math.min(restartMaxMs, restartBaseMs * 2 ** Math.min(crashes - 1, 6)), signal)
    }
  }

  /** Resolves when the thread has ended, with what ended it. */
  private run(input: IngestThreadInput): Promise<string> {
    const worker = new Worker(new URL("./ingest-thread.js", import.meta.url), {
      workerData: input,
      resourceLimits,
    })
    this.workers.set(input.index, worker)
    if (this.paused !== null) send(worker, { type: "pause", reason: this.paused })
    if (this.stopping.signal.aborted) send(worker, { type: "stop" })
    return new Promise((resolve) => {
      let failure = "it exited"
      worker.on("message", (message: FromThread) => {
        if (message.type === "report") this.options.onReport(input.index, message)
        else if (message.type === "announced") this.options.onAnnounced(message)
        else if (message.type === "stored") this.options.onStored()
        else if (message.type === "log") this.options.logger[message.level](message.fields, message.message)
      })
      worker.on("error", (error) => {
        failure = describeError(error)
      })
      worker.on("exit", () => {
        this.workers.delete(input.index)
        resolve(failure)
      })
    })
  }
}

const send = (worker: Worker, message: ToThread): void => worker.postMessage(message)
