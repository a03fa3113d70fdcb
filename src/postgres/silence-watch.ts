// Closes a connection whose server does not answer. A server that vanishes without closing its sockets would otherwise hold a
// statement until the operating system gives up, after 11 to 15 minutes. An idle connection is asked now and then: the
// statement that it is needed for next would wait for long. See docs/decisions/0008.

import type { Socket } from "node:net"
import type pg from "pg"
import { systemClock } from "../platform/clock.js"
import { watchQuiet } from "../platform/quiet-socket.js"
import { serverAnswers } from "./server-answers.js"

/** The default for statements that are short by nature: nearly all. */
export const defaultAnswerTimeoutMs = 30_000
/** The server's own limit ends a statement first, with a better error. */
const graceMs = 5_000
/** How often an idle connection, or the address of a long statement, is asked, and how long the answer may take. */
const probeMs = 5_000

export interface SilenceWatchOptions {
  readonly url: string
  /** How long the connection may be quiet while a statement waits for its answer. */
  readonly answerTimeoutMs: number
  /** For statements that work for longer in silence. Beyond the time above the address has to answer meanwhile. */
  readonly longestStatementMs?: number | undefined
}

export class SilenceWatch {
  private readonly socket: Socket
  private waiting = 0
  private since = 0
  private isHurried = false
  private isAsked = false
  private longestMs: number

  /** Of a client that is connected: before, its socket may be replaced by an encrypted one. */
  constructor(
    private readonly client: pg.ClientBase,
    private readonly options: SilenceWatchOptions,
  ) {
    this.socket = (client as unknown as { connection: { stream: Socket } }).connection.stream
    this.longestMs = this.usualMs
    watchQuiet(this.socket, this.probeMs, () => void this.quiet())
    this.isHurried = true
  }

  /** Until the next call, or for ever, statements may take this long, or as long as usual. */
  allow(limits: { readonly statementTimeoutMs?: number | undefined } = {}): void {
    const { statementTimeoutMs } = limits
    this.longestMs = statementTimeoutMs ? Math.max(statementTimeoutMs + graceMs, this.usualMs) : this.usualMs
  }

  async answered<T>(answer: Promise<T>): Promise<T> {
    this.began()
    try {
      return await answer
    } finally {
      this.waiting--
      // Of several that were sent at once, each has its own time.
      this.since = systemClock.monotonic()
      if (this.waiting === 0) this.hurry()
    }
  }

  /** The end of the connection is waited for, and never for long. */
  ending(): void {
    this.began()
    this.longestMs = 0
    this.hurry()
  }

  private began(): void {
    if (this.waiting++ > 0) return
    this.since = systemClock.monotonic()
    this.unhurry()
  }

  private unhurry(): void {
    if (this.isHurried) watchQuiet(this.socket, this.options.answerTimeoutMs)
    this.isHurried = false
  }

  private hurry(): void {
    this.isHurried = true
    watchQuiet(this.socket, this.probeMs)
  }

  private get probeMs(): number {
    return Math.min(probeMs, this.options.answerTimeoutMs)
  }

  /** Never in a transaction: the server ends one that is idle, and a question would prevent it. */
  private async ask(): Promise<void> {
    if (this.client.getTransactionStatus() !== "I") return
    this.isAsked = true
    try {
      const answer = this.answered(this.client.query("select 1"))
      this.hurry()
      await answer
    } catch {
      // The connection is closed, or its owner closes it.
    } finally {
      this.isAsked = false
      // Sent meanwhile, and has the usual time.
      if (this.waiting > 0) this.unhurry()
    }
  }

  private get usualMs(): number {
    return Math.max(this.options.answerTimeoutMs, this.options.longestStatementMs ?? 0)
  }

  private async quiet(): Promise<void> {
    if (this.socket.destroyed) return
    if (this.waiting === 0) return this.ask()
    const { url, answerTimeoutMs } = this.options
    const quietSince = this.since
    // Sent while the last quiet moment was being reported.
    if (systemClock.monotonic() - quietSince < this.probeMs / 2) return
    const mayTakeLonger =
      !this.isAsked && this.longestMs > answerTimeoutMs && systemClock.monotonic() - this.since < this.longestMs
    if (mayTakeLonger && (await serverAnswers(url, this.probeMs))) {
      if (this.waiting > 0 && !this.socket.destroyed) this.hurry()
      return
    }
    // An answer may have come while the address was asked.
    if (this.waiting === 0 || this.since !== quietSince) return
    const seconds = Math.round((systemClock.monotonic() - this.since) / 1_000)
    this.socket.destroy(Object.assign(new Error(`no answer for ${seconds} s`), { code: "ETIMEDOUT" }))
  }
}
