// How many calls a second a provider gets from all threads of the process: the process's share of the limit that an
// operator set, and what was learned from refusals. After a refusal the rate falls below the one that was refused,
// returns to just under it, stays there for a while and then probes upwards, faster and faster.

import type { Clock } from "../platform/clock.js"

/** Bytes of shared memory that a SharedRate takes. */
export const sharedRateBytes = 64

const owedAt = 0
const cutAt = 1
const pausedAt = 2
const shareAt = 6
const refusedRateAt = 7
const streakAt = 8
const secondAt = 9
const answeredAt = 10
const answeredBeforeAt = 11
const atOnceAt = 12
const searchAt = 13
const takenAt = 14
const waitedAt = 15

/** Calls of this time may be sent at once, so that a late timer costs nothing. */
const toleranceS = 0.05
/** A larger debt can only come from a wall clock that was set back. */
const maxDebtUs = 600_000_000n
/** The refused rate is reached again after this time. */
const returnS = 10
/** A tenth less right after the refusal: 1 - curve * returnS³. */
const curve = 1e-4
/** Above the refused rate: a tenth more after 5 s, half more after 9 s. What was answered meanwhile may have been too little. */
const probeCurve = 8e-4
/** What is left of a refused rate at least: pauses make what was answered look like less than what is allowed. */
const leastLeft = 0.75
/** A provider that counts by the second may refuse for the rest of it. */
const cutEveryUs = 1_000_000n
/** Refused so often without any answer: this is not about the rate, such as a quota of a day. */
const cutsInARow = 4
const leastRate = 0.2
/** Refused while the rate doubled every second: it was passed not long ago. */
const endOfSearch = 0.9
/** A request has the calls of this time at most, and may always have those of the shorter one. */
const mostAtOnceS = 0.5
const leastAtOnceS = 0.02
/** How many calls one request may have doubles in this time. */
const atOnceDoublesS = 60
/** With so much of the rate answered in the last second, the refusal was about how many came at once. */
const nearlyAll = 0.7
/** Far above any provider: no longer limited. */
const unlimitedRate = 1_000_000
const firstPauseMs = 200
const maxPauseMs = 60_000
/** In sharedRateBytes, a rate is a whole number of these in a second. */
const perCall = 1_000
const maxStored = 2_000_000_000
const noShare = 1
const leastShare = 1 / 60
const noShareRetryMs = 100

export interface RefusedCalls {
  /** When the request was sent, by the wall clock. */
  readonly sentAtMs: number
  /** Calls in the request, and how many of them were answered. */
  readonly calls: number
  readonly answered: number
  /** How long the provider asks to wait. */
  readonly retryAfterMs?: number | undefined
}

/** From now on and in all threads of the process. Less than a call in a minute is none. */
export function setShare(memory: SharedArrayBuffer, callsPerSecond: number): void {
  const share = callsPerSecond > unlimitedRate ? 0 : Math.max(noShare, Math.floor(callsPerSecond * perCall))
  Atomics.store(new Int32Array(memory, 0, sharedRateBytes / 4), shareAt, share)
}

/** Calls a second; Infinity: no limit. */
export function shareOf(memory: SharedArrayBuffer): number {
  const share = Atomics.load(new Int32Array(memory, 0, sharedRateBytes / 4), shareAt)
  return share === 0 ? Number.POSITIVE_INFINITY : share / perCall
}

/** Calls that were let through since the last look, and whether any had to wait for the share. */
export function takeUse(memory: SharedArrayBuffer): { readonly calls: number; readonly waited: boolean } {
  const cells = new Int32Array(memory, 0, sharedRateBytes / 4)
  return { calls: Atomics.exchange(cells, takenAt, 0), waited: Atomics.exchange(cells, waitedAt, 0) !== 0 }
}

interface Cut extends Pick<RefusedCalls, "calls" | "answered"> {
  readonly now: bigint
}

export class SharedRate {
  readonly #clock: Clock
  readonly #wide: BigInt64Array
  readonly #cells: Int32Array

  constructor(deps: { readonly clock: Clock }, memory: SharedArrayBuffer) {
    this.#clock = deps.clock
    this.#wide = new BigInt64Array(memory, 0, sharedRateBytes / 8)
    this.#cells = new Int32Array(memory, 0, sharedRateBytes / 4)
  }

  /** Calls a second for this process, of what an operator allows. Infinity: no limit. */
  get share(): number {
    const share = Atomics.load(this.#cells, shareAt)
    return share === 0 ? Number.POSITIVE_INFINITY : share / perCall
  }

  /** What refusals have taught. Infinity: none yet, or long ago. */
  get learned(): number {
    const refused = Atomics.load(this.#cells, refusedRateAt) / perCall
    if (refused === 0) return Number.POSITIVE_INFINITY
    const rate = refused * this.#growth(this.#secondsSinceCut())
    return rate > unlimitedRate ? Number.POSITIVE_INFINITY : rate
  }

  /** At most so many calls in one request, so that it fits into what is allowed in a second. */
  get maxCalls(): number {
    const learned = this.learned
    if (learned === Number.POSITIVE_INFINITY) return callsOfShare(this.share)
    const atOnce = (this.#atOnce() || learned) * 2 ** (this.#secondsSinceCut() / atOnceDoublesS)
    const bounded = Math.max(learned * leastAtOnceS, Math.min(atOnce, learned * mostAtOnceS))
    return Math.min(callsOfShare(this.share), Math.max(1, Math.floor(bounded)))
  }

  /** By the wall clock: no request before. */
  get pausedUntilMs(): number {
    return Number(Atomics.load(this.#wide, pausedAt) / 1_000n)
  }

  get isFree(): boolean {
    return Atomics.load(this.#cells, shareAt) === 0 && Atomics.load(this.#cells, refusedRateAt) === 0
  }

  // The generic cell rate algorithm: one number holds the time when the next call is due.
  tryTake(calls: number): boolean {
    const ofShare = withinASecond(this.share)
    const rate = Math.min(ofShare, this.learned)
    if (rate === Number.POSITIVE_INFINITY) return true
    if (ofShare < leastShare) {
      Atomics.store(this.#cells, waitedAt, 1)
      return false
    }
    const costUs = BigInt(Math.ceil((calls * 1_000_000) / rate))
    for (;;) {
      const now = this.#nowUs()
      if (this.#pauseUs(now) > 0n) return false
      const held = Atomics.load(this.#wide, owedAt)
      const owed = held < now - toleranceUs || held - now > maxDebtUs ? now - toleranceUs : held
      if (owed > now) {
        if (rate === ofShare) Atomics.store(this.#cells, waitedAt, 1)
        return false
      }
      if (Atomics.compareExchange(this.#wide, owedAt, held, owed + costUs) !== held) continue
      Atomics.add(this.#cells, takenAt, calls)
      return true
    }
  }

  /** Until the next call is due. */
  delayMs(): number {
    if (this.isFree) return 0
    if (this.share < leastShare) return noShareRetryMs
    const now = this.#nowUs()
    const owedUs = Atomics.load(this.#wide, owedAt) - now
    const us = owedUs > maxDebtUs ? 0n : owedUs
    const pauseUs = this.#pauseUs(now)
    return Math.min(1_000, Math.max(0, Number(us > pauseUs ? us : pauseUs) / 1_000))
  }

  answered(calls: number): void {
    if (Atomics.load(this.#cells, streakAt) !== 0) Atomics.store(this.#cells, streakAt, 0)
    const second = this.#second()
    const counted = Atomics.load(this.#cells, secondAt)
    if (counted !== second && Atomics.compareExchange(this.#cells, secondAt, counted, second) === counted) {
      const before = Atomics.exchange(this.#cells, answeredAt, 0)
      Atomics.store(this.#cells, answeredBeforeAt, counted === second - 1 ? before : 0)
    }
    Atomics.add(this.#cells, answeredAt, calls)
  }

  /** Slows down, once for all requests that were under way when the first of them was refused. Returns the pause. */
  refused({ sentAtMs, calls, answered, retryAfterMs }: RefusedCalls): number {
    if (answered > 0) this.answered(answered)
    const now = this.#nowUs()
    const cut = Atomics.load(this.#wide, cutAt)
    const wasUnderWay = cut <= now && BigInt(Math.round(sentAtMs * 1_000)) <= cut
    const streak = answered > 0 || wasUnderWay ? 0 : Atomics.add(this.#cells, streakAt, 1)
    const isDue = !wasUnderWay && (cut > now || now - cut >= cutEveryUs) && streak < cutsInARow
    if (isDue && Atomics.compareExchange(this.#wide, cutAt, cut, now) === cut)
      this.#slowDown(cut, { now, calls, answered })
    const pauseMs = Math.min(retryAfterMs ?? firstPauseMs * 2 ** Math.min(streak, 8), maxPauseMs)
    this.#pause(now + BigInt(Math.round(pauseMs * 1_000)))
    return pauseMs
  }

  #slowDown(cutBefore: bigint, { now, calls, answered }: Cut): void {
    const before = Atomics.load(this.#cells, refusedRateAt) / perCall
    const learned = before === 0 ? Number.POSITIVE_INFINITY : before * this.#growth(seconds(now - cutBefore))
    const reached = Math.min(this.share, learned)
    const measured = this.#answeredInLastSecond()
    // The first refusal says little of the rate: what was sent may have been saved up, or all sent at once.
    const wasSearch = Atomics.exchange(this.#cells, searchAt, before === 0 ? 1 : 0) === 1
    const wasAtOnce = measured > nearlyAll * reached && calls > Math.max(1, reached * leastAtOnceS)
    let rate = Math.max(measured, reached * leastLeft)
    if (reached === Number.POSITIVE_INFINITY) rate = measured
    else if (wasSearch) rate = Math.max(measured, reached * endOfSearch)
    else if (wasAtOnce) rate = Math.max(before, reached)
    if (before === 0 || wasAtOnce) {
      const fitting = before === 0 ? Math.ceil(answered / 2) : Math.ceil(Math.min(this.#atOnce() || calls, calls) / 2)
      Atomics.store(this.#cells, atOnceAt, fitting)
    }
    Atomics.store(this.#cells, refusedRateAt, stored(Math.max(leastRate, Math.min(reached, rate))))
  }

  /** Calls that a request may have since the last cut; 0: not known. */
  #atOnce(): number {
    return Atomics.load(this.#cells, atOnceAt)
  }

  #growth(s: number): number {
    return Atomics.load(this.#cells, searchAt) === 1 ? plateau(0) * 2 ** s : plateau(s)
  }

  #pause(until: bigint): void {
    const held = Atomics.load(this.#wide, pausedAt)
    if (until > held) Atomics.compareExchange(this.#wide, pausedAt, held, until)
  }

  #pauseUs(now: bigint): bigint {
    const left = Atomics.load(this.#wide, pausedAt) - now
    return left > BigInt(maxPauseMs) * 1_000n || left < 0n ? 0n : left
  }

  #answeredInLastSecond(): number {
    const second = this.#second()
    const counted = Atomics.load(this.#cells, secondAt)
    const last = Atomics.load(this.#cells, answeredAt)
    const passed = (this.#clock.now() % 1_000) / 1_000
    if (counted === second) return last + Atomics.load(this.#cells, answeredBeforeAt) * (1 - passed)
    return counted === second - 1 ? last * (1 - passed) : 0
  }

  #secondsSinceCut(): number {
    return seconds(this.#nowUs() - Atomics.load(this.#wide, cutAt))
  }

  // Wall clock: the monotonic clocks of threads may have different origins.
  #nowUs(): bigint {
    return BigInt(Math.round(this.#clock.now() * 1_000))
  }

  #second(): number {
    return Math.floor(this.#clock.now() / 1_000) % 0x7fff_ffff
  }
}

const stored = (rate: number): number => Math.min(maxStored, Math.ceil(rate * perCall))
const toleranceUs = BigInt(toleranceS * 1_000_000)
/** The clock set back counts as now. */
const seconds = (us: bigint): number => Math.max(0, Number(us) / 1_000_000)
/** Just under the refused rate for a while, then above it, faster and faster. */
const plateau = (s: number): number => 1 + (s < returnS ? curve : probeCurve) * (s - returnS) ** 3

const callsOfShare = (share: number): number =>
  share === Number.POSITIVE_INFINITY ? share : share < 20 ? 1 : Math.max(2, Math.floor(share / 20))

/** Lower by what may be sent early and by one request: the sum over any second is within the share. */
const withinASecond = (share: number): number =>
  share < 1 || share === Number.POSITIVE_INFINITY
    ? share
    : (Math.floor(share) + 1 - callsOfShare(share)) / (1 + toleranceS)
