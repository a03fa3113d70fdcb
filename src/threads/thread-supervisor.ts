// Starts the threads of one kind, restarts those that die after growing waits, pauses and stops them. Renews their leases.
// A thread that crashes loses only its own ranges, and their leases pass to others.

import type { Worker } from "node:worker_threads"
import { LeaseRenewer } from "../coordination/lease-renewer.js"
import type { Lease, LeaseToken } from "../coordination/lease-store.js"
import { codeOf, describeError } from "../platform/errors.js"
import type { Service, ServiceDeps } from "../platform/service.js"
import { HeldByThread } from "./thread-leases.js"
import type { FromAnyThread, ToAnyThread } from "./thread-messages.js"

export interface ThreadSupervisorOptions<Input, From> extends ServiceDeps {
  readonly name: string
  /** One for each thread. */
  readonly inputs: readonly Input[]
  readonly launch: (input: Input) => LaunchedThread<From>
  readonly drainMs: number
  readonly restartBaseMs: number
  readonly renew: (tokens: readonly LeaseToken[]) => Promise<readonly LeaseToken[]>
  readonly shortestTtlMs: number
}

/** A thread that has its input, and what is specific to its kind. */
export interface LaunchedThread<From> {
  readonly worker: Worker
  receive(message: From): void
  /** Returns true if one block caused the end: that block waits by itself, and the thread restarts at once. */
  ended(end: { readonly leases: readonly Lease[]; readonly failure: unknown }): Promise<boolean>
}

const restartMaxMs = 10_000
/** A thread that lived this long did not die of its previous cause. */
const settledMs = 60_000
const stopGraceMs = 5_000

export class ThreadSupervisor<Input, To, From extends { readonly type: string }> implements Service {
  readonly name: string
  private readonly stopping = new AbortController()
  private readonly workers = new Set<Worker>()
  private readonly renewer: LeaseRenewer
  private running: Promise<unknown> | undefined
  private paused: string | null = null

  constructor(private readonly options: ThreadSupervisorOptions<Input, From>) {
    this.name = `${options.name}-threads`
    this.renewer = new LeaseRenewer(options)
  }

  start(): void {
    this.renewer.start()
    this.running ??= Promise.all(this.options.inputs.map((input, index) => this.keep(input, index)))
  }

  send(message: To | ToAnyThread): void {
    for (const worker of this.workers) worker.postMessage(message)
  }

  pause(reason: string | null): void {
    this.paused = reason
    this.send({ type: "pause", reason })
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    this.send({ type: "stop" })
    const { running = Promise.resolve() } = this
    const done = new AbortController()
    void running.then(() => done.abort())
    await this.options.clock.sleep(this.options.drainMs + stopGraceMs, done.signal)
    for (const worker of this.workers) await worker.terminate()
    await running
    await this.renewer.stop()
  }

  private async keep(input: Input, index: number): Promise<void> {
    const { name, clock, logger, restartBaseMs } = this.options
    const { signal } = this.stopping
    for (let crashes = 0; !signal.aborted; ) {
      const began = clock.monotonic()
      const { failure, isKnown } = await this.run(input)
      if (signal.aborted) return
      crashes = isKnown || clock.monotonic() - began > settledMs ? 1 : crashes + 1
      const error = failure === undefined ? "it exited" : describeError(failure)
      // Nothing but a bug of Tidemark's own ends a thread by an exception that no block explains.
      const bug = failure === undefined || isKnown ? {} : { code: codeOf(failure), stack: stackOf(failure) }
      logger.error({ thread: `${name} ${index}`, crashes, error, ...bug }, "a thread ended, starting it again")
      await clock.sleep(Math.min(restartMaxMs, restartBaseMs * 2 ** Math.min(crashes - 1, 7)), signal)
    }
  }

  /** Resolves when the thread has ended, with what ended it. */
  private async run(input: Input): Promise<{ readonly failure: unknown; readonly isKnown: boolean }> {
    const { launch, logger } = this.options
    const thread = launch(input)
    const { worker } = thread
    const send = (message: ToAnyThread): void => worker.postMessage(message)
    const held = new HeldByThread({ keeper: this.renewer, onLost: send })
    this.workers.add(worker)
    if (this.paused !== null) send({ type: "pause", reason: this.paused })
    if (this.stopping.signal.aborted) send({ type: "stop" })
    const receiveAny = (message: FromAnyThread): void => {
      if (message.type === "log") logger[message.level](message.fields, message.message)
      else held.receive(message)
    }
    let failure: unknown
    await new Promise<void>((resolve) => {
      worker.on("message", (message: From | FromAnyThread) => {
        if (isOfAny(message)) receiveAny(message)
        else thread.receive(message)
      })
      worker.on("error", (error) => {
        failure = error
      })
      worker.on("exit", () => resolve())
    })
    this.workers.delete(worker)
    return { failure, isKnown: await thread.ended({ leases: held.takeAll(), failure }) }
  }
}

const stackOf = (error: unknown): string | undefined => (error instanceof Error ? error.stack : undefined)

const ofAny: readonly string[] = ["log", "held", "let-go"] satisfies FromAnyThread["type"][]

const isOfAny = (message: { readonly type: string }): message is FromAnyThread => ofAny.includes(message.type)
