// Looks at a store again and again while faults happen, as whoever asks it would: what it says is done must be there, what a process
// answers must not be more than that, it takes that back only by a rollback that it has recorded, nothing is derived from what is not stored, and no lease outlives its time for long.

import pg from "pg"
import type { StatusJson } from "../../../src/status/status-json.js"
import { StoreProbe } from "../../support/store-probe.js"
import { leaseMs, reapMs } from "../stage.js"

const everyMs = 250
/** Blocks looked for at once, somewhere below the watermark. */
const window = 50
/** On a busy machine; what nobody reaps stays for ever. */
const patienceMs = leaseMs + reapMs + 12_500

export interface Sampled {
  readonly url: string
  readonly appUrl: string
  /** Those that have not ended. */
  readonly members: readonly unknown[]
}

interface RawSample {
  readonly watermark: string
  /** Of the newest rollback; -1 where there was none. */
  readonly epoch: string
  readonly missing: number
  /** Token of each lease that is over and still held. */
  readonly expired: readonly string[]
  readonly chain_epoch: string
  /** Where processes that were heard of lately answer. */
  readonly answering: readonly string[]
  /** Where the rollbacks since the last look began; null where there was none. */
  readonly fell_to: string | null
}

/** What a process answers. */
interface Answer {
  readonly url: string
  readonly epoch: number
  readonly watermark: number
}

interface AppSample {
  readonly ahead: readonly string[]
  readonly expired: readonly string[]
}

export class Sampler {
  /** Looks that saw all there is to see. */
  samples = 0
  /** Answers of processes that were compared. */
  answers = 0
  readonly violations: string[] = []
  /** Why the last look that failed did. */
  problem: unknown
  readonly #stage: Sampled
  readonly #mayFall: boolean
  readonly #staleAfterMs: number
  readonly #raw: StoreProbe
  readonly #app: StoreProbe
  readonly #stopped = new AbortController()
  readonly #looking: Promise<void>
  /** Since when a lease was seen to be over. */
  #stale = new Map<string, number>()
  #answering: readonly string[] = []
  #last: { watermark: number; epoch: number } | undefined

  /** mayFall: the fault itself takes commits back. */
  constructor(stage: Sampled, { mayFall = false, staleAfterMs = patienceMs } = {}) {
    this.#stage = stage
    this.#mayFall = mayFall
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
    // First the answer, then the store, which only a rollback may have taken below it.
    const answer = this.#mayFall ? undefined : await this.#ask()
    const [raw] = await this.#raw.rows<RawSample>(rawSql, [window, this.#last?.epoch ?? -1])
    if (raw === undefined) return false
    this.#answering = raw.answering
    this.#compare(answer, raw)
    const [watermark, epoch] = [Number(raw.watermark), Number(raw.epoch)]
    if (raw.missing > 0)
      this.#violation(`I5: ${raw.missing} blocks below the watermark ${watermark} are not stored`)
    const explained = raw.fell_to !== null && Number(raw.fell_to) <= watermark
    if (this.#last && watermark < this.#last.watermark && !explained && !this.#mayFall)
      this.#violation(
        `I5: the watermark fell from ${this.#last.watermark} to ${watermark} without a rollback`,
      )
    this.#last = { watermark, epoch }
    const [app] = await this.#app.rows<AppSample>(appSql)
    for (const worker of app?.ahead ?? [])
      this.#violation(`I4: ${worker} covers heights that app does not know to be stored`)
    this.#watchLeases([...raw.expired, ...(app?.expired ?? [])])
    return true
  }

  /** One of the processes that were there at the last look, each in its turn. */
  async #ask(): Promise<Answer | undefined> {
    const url = this.#answering[this.samples % Math.max(1, this.#answering.length)]
    if (url === undefined) return undefined
    try {
      const response = await fetch(`${url}/status`, { signal: AbortSignal.timeout(1_000) })
      const { chains } = (await response.json()) as { chains?: StatusJson[] }
      const { chain_epoch: epoch, watermark_height: watermark } = chains?.[0] ?? {}
      return epoch === undefined || watermark == null
        ? undefined
        : { url, epoch, watermark: Number(watermark) }
    } catch {
      // Killed, stopped, or busy.
      return undefined
    }
  }

  #compare(answer: Answer | undefined, raw: RawSample): void {
    if (!answer || answer.epoch !== Number(raw.chain_epoch)) return
    this.answers++
    const highest = Number(raw.watermark) - 1
    if (answer.watermark > highest)
      this.#violation(
        `I5: ${answer.url} says all is done up to ${answer.watermark}, and it is up to ${highest}`,
      )
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

const expiredSql = (schema: "raw" | "app"): string => `array(
    select format('${schema} lease %s of %s on [%s, %s)', epoch, worker_type, from_height, to_height)
    from ${schema}.worker_leases where status = 'ACTIVE' and lease_expires_at < clock_timestamp())`

/** One statement, so one moment. */
const rawSql = `
  with prefix as (
    select start_height, coalesce((
      select upper(part) from raw.coverage, unnest(heights) as part
      where worker_type = 'raw_ingester' and part @> start_height), start_height) as watermark, chain_epoch
    from raw.chain_state
  ),
  looked_at as (
    select *, start_height + floor(random() * greatest(1, watermark - start_height - $1 + 1))::int8 as low from prefix
  )
  select watermark, chain_epoch, (select coalesce(max(epoch), -1) from raw.rollbacks) as epoch, ${expiredSql("raw")} as expired,
    array(select http_url from raw.processes where seen_at > clock_timestamp() - interval '10 s' and http_url is not null order by id) as answering,
    (select min(lower(removed)) from raw.rollbacks where epoch > $2) as fell_to,
    (least($1, watermark - low) - (
      select count(*) from raw.blocks where height >= low and height < least(watermark, low + $1)))::int4 as missing
  from looked_at`

const appSql = `
  select ${expiredSql("app")} as expired, array(
    select worker_type from app.coverage as derived where worker_type <> 'raw_ingester'
      and not heights <@ (select heights from app.coverage where worker_type = 'raw_ingester')) as ahead`
