// Looks at a store again and again while faults happen, as whoever asks it would: what it says is done must be there, what a process
// answers must not be more than that, it takes that back only by a rollback that it has recorded, nothing is derived from what is not stored, and no lease outlives its time for long.
//
// The order is what makes two databases comparable: first the answer of a process, then app, then raw. App is rolled back before raw, and epochs only rise. So where raw, looked
// at last, is at the epoch that app had, everything that app had then is in raw now, and where either is at the epoch of the answer, it still has what was answered.

import pg from "pg"
import { StoreProbe } from "../../test/support/store-probe.js"
import { type Answer, askProcess, compareAnswer } from "./ask-process.js"
import { type AppLook, lookAtApp } from "./look-at-app.js"
import { lookAtRaw, type RawLook } from "./look-at-raw.js"
import { leaseMs, reapMs } from "./stage.js"
import { unexplainedFalls } from "./unexplained-falls.js"

const everyMs = 250
/** On a busy machine, where whoever has to reap may be about to start; what nobody reaps stays for ever. */
const patienceMs = leaseMs + reapMs + 60_000

export interface Sampled {
  readonly url: string
  readonly appUrl: string
  /** Those that have not ended. */
  readonly members: readonly unknown[]
}

export class Sampler {
  /** Looks that saw all there is to see. */
  samples = 0
  /** Answers of processes that were compared with raw, and with app. */
  answers = 0
  workerAnswers = 0
  /** Stretches of derived rows that were compared with raw. */
  windows = 0
  readonly violations: string[] = []
  /** Why the last look that failed did. */
  problem: unknown
  readonly #stage: Sampled
  readonly #mayFall: boolean
  readonly #derivedMayFall: boolean
  readonly #staleAfterMs: number
  readonly #raw: StoreProbe
  readonly #app: StoreProbe
  readonly #stopped = new AbortController()
  readonly #looking: Promise<void>
  /** Since when a lease was seen to be over. */
  #stale = new Map<string, number>()
  readonly #workersSince = new Map<string, number>()
  #last: Looks | undefined

  /** mayFall: the fault itself takes commits back, of raw and so of what is derived from it. derivedMayFall: of app alone. */
  constructor(stage: Sampled, { mayFall = false, derivedMayFall = false, staleAfterMs = patienceMs } = {}) {
    this.#stage = stage
    this.#mayFall = mayFall
    this.#derivedMayFall = mayFall || derivedMayFall
    this.#staleAfterMs = staleAfterMs
    this.#raw = new StoreProbe(stage.url)
    this.#app = new StoreProbe(stage.appUrl)
    this.#looking = this.#look()
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#looking
    await this.#raw.close()
    await this.#app.close()
  }

  async #look(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      try {
        if (await this.#sample()) this.samples++
      } catch (error) {
        this.problem = error
        if (!isAway(error) && !(isNotMade(error) && this.samples === 0))
          this.#violation(`the store could not be looked at: ${error}`)
        // Nobody is told anything then, and nobody can reap.
        this.#stale.clear()
      }
      await new Promise((resolve) => setTimeout(resolve, everyMs))
    }
  }

  /** False where there is nothing to look at yet. */
  async #sample(): Promise<boolean> {
    const url = this.#last?.raw.answering[this.samples % Math.max(1, this.#last.raw.answering.length)]
    const answer = this.#mayFall || url === undefined ? undefined : await askProcess(url)
    const app = await lookAtApp(this.#app, this.#last?.app)
    const raw = app && (await lookAtRaw(this.#raw, { last: this.#last?.raw, app }))
    if (!raw) return false
    for (const worker of app.watermarks.keys())
      if (!this.#workersSince.has(worker)) this.#workersSince.set(worker, app.now)
    if (answer) this.#compare(answer, { app, raw })
    this.#watchWatermarks({ app, raw })
    for (const worker of app.ahead) this.#violation(`I4: ${worker} covers heights that app does not know to be stored`)
    if (!this.#derivedMayFall && app.epoch === raw.epoch) this.#compareStores({ app, raw })
    this.#watchLeases([...raw.expired, ...app.expired])
    this.#last = { app, raw }
    return true
  }

  #compare(answer: Answer, { app, raw }: Looks): void {
    const { compared, excess } = compareAnswer(answer, {
      ...{ raw, app: this.#derivedMayFall ? undefined : app, workersSince: this.#workersSince },
    })
    if (compared.raw) this.answers++
    if (compared.workers) this.workerAnswers++
    for (const text of excess) this.#violation(`I5: ${text}`)
  }

  #watchWatermarks({ app, raw }: Looks): void {
    if (raw.missing > 0)
      this.#violation(`I5: ${raw.missing} blocks below the watermark ${raw.watermark} are not stored`)
    for (const text of [...raw.wrongCheckpoints, ...app.wrongCheckpoints])
      this.#violation(`I3: a checkpoint is not where coverage ends: ${text}`)
    const falls = [
      ...(this.#mayFall ? [] : unexplainedFalls(this.#last && rawWatermarks(this.#last.raw), rawWatermarks(raw))),
      ...(this.#derivedMayFall ? [] : unexplainedFalls(this.#last?.app, app)),
    ]
    for (const text of falls) this.#violation(`I5: ${text}`)
  }

  /** At one epoch, app having been looked at first. */
  #compareStores({ app, raw }: Looks): void {
    if (raw.unknown !== null && raw.unknown !== "{}")
      this.#violation(`I4: app takes ${raw.unknown} for stored, and raw does not have it`)
    if (!app.rows) return
    this.windows++
    const { from, to, count, ids } = app.rows
    if (count !== raw.transactions.count)
      this.#violation(`I5: [${from}, ${to}) is derived, with ${count} of ${raw.transactions.count} transactions`)
    else if (ids !== raw.transactions.ids)
      this.#violation(`I4: [${from}, ${to}) is derived, from other transactions than are stored`)
  }

  #watchLeases(expired: readonly string[]): void {
    const now = performance.now()
    const alive = this.#stage.members.length > 0
    const stale = new Map(alive ? expired.map((lease) => [lease, this.#stale.get(lease) ?? now]) : [])
    for (const [lease, since] of stale) {
      if (now - since <= this.#staleAfterMs) continue
      this.#violation(`I8: ${lease} has been over for ${Math.round(now - since)} ms and nobody ended it`)
      stale.set(lease, Number.POSITIVE_INFINITY)
    }
    this.#stale = stale
  }

  #violation(text: string): void {
    if (this.violations.length < 20) this.violations.push(text)
  }
}

/** The server does not answer or has no room, or the connection broke: the driver says that without an SQLSTATE. */
const isAway = (error: unknown): boolean =>
  error instanceof pg.DatabaseError
    ? /^(08|53|57|58)/.test(error.code ?? "")
    : !(error instanceof TypeError || error instanceof RangeError)

/** A schema, table or column that is not there. A statement that is wrong says the same, but never gets a sample. */
const isNotMade = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && ["3F000", "42P01", "42703"].includes(error.code ?? "")

interface Looks {
  readonly app: AppLook
  readonly raw: RawLook
}

/** Raw takes nothing back but by rollbacks, whoever asks for them. */
const rawWatermarks = ({ watermark, fell_to, start }: RawLook) => ({
  ...{ watermarks: new Map([["raw_ingester", watermark]]), fell_to, start, acts: 0 },
})
