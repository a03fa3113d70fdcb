// Rate and concurrency limit of one provider, shared by all threads of the process through shared memory. A slot
// expires, so a thread that dies releases its slots. Urgent requests (the head) go first in all threads, but get at
// most every second permit, so that neither kind starves.

import type { Clock } from "../platform/clock.js"
import type { Random } from "../platform/random.js"
import { SharedRate, setShare, sharedRateBytes } from "./shared-rate.js"

export interface SharedLimitOptions {
  /** JSON-RPC calls a second of all threads (a batch of 20 counts 20, as providers bill it). Absent: no limit. */
  readonly maxRps?: number | undefined
  /** HTTP requests in flight of all threads. Absent: no limit. */
  readonly maxInFlight?: number | undefined
}

/** Structured-cloneable: pass it in workerData and attach a SharedLimit to it there. */
export interface SharedLimitHandle {
  readonly maxInFlight: number | null
  readonly memory: SharedArrayBuffer
}

const urgentBytes = 4
/** How long the notice of a waiting urgent request outlives its next attempt. */
const urgentGraceMs = 50
/** Between two attempts to get a slot. */
const maxRetryMs = 20
/** After the rate allows the next call, so that threads do not all try at once. */
const maxJitterMs = 4

export function createSharedLimit(options: SharedLimitOptions = {}): SharedLimitHandle {
  const maxRps = options.maxRps ?? null
  const maxInFlight = options.maxInFlight ?? null
  if (maxRps !== null && !(maxRps > 0)) throw new RangeError(`maxRps must be above 0, got ${maxRps}`)
  if (maxInFlight !== null && (!Number.isSafeInteger(maxInFlight) || maxInFlight < 1 || maxInFlight > 4096)) {
    throw new RangeError(`maxInFlight must be a whole number from 1 to 4096, got ${maxInFlight}`)
  }
  const memory = new SharedArrayBuffer(sharedRateBytes + urgentBytes + 4 * (maxInFlight ?? 0))
  if (maxRps !== null) setShare(memory, maxRps)
  return { maxInFlight, memory }
}

export interface Permit {
  /** Calls that the request may have. */
  readonly cost: number
  readonly slot: number
  readonly until: number
}

const noSlot = { slot: -1, until: 0 }

export interface AcquireOptions {
  /** Calls in the request. Asked when they may be sent: what was refused meanwhile makes a waiting request smaller. */
  readonly cost: () => number
  /** How long the request may live: a slot not released by then counts as free. */
  readonly leaseMs: number
  readonly signal: AbortSignal
  readonly urgent?: boolean | undefined
}

interface Waiter {
  readonly cost: () => number
  readonly leaseMs: number
  readonly resolve: (permit: Permit | undefined) => void
}

export interface SharedLimitDeps {
  readonly clock: Clock
  readonly random: Random
}

export class SharedLimit {
  readonly #clock: Clock
  readonly #random: Random
  readonly rate: SharedRate
  readonly #slots: Int32Array | undefined
  /** Until when ordinary requests of all threads wait for an urgent one. */
  readonly #urgentUntil: Int32Array
  readonly #waiting: Waiter[] = []
  readonly #urgent: Waiter[] = []
  /** The last permit went to an urgent request, so an ordinary one is next. */
  #jumped = false
  #draining = false
  #wake: AbortController | undefined

  constructor(deps: SharedLimitDeps, handle: SharedLimitHandle) {
    this.#clock = deps.clock
    this.#random = deps.random
    this.rate = new SharedRate(deps, handle.memory)
    this.#urgentUntil = new Int32Array(handle.memory, sharedRateBytes, 1)
    if (handle.maxInFlight !== null) {
      this.#slots = new Int32Array(handle.memory, sharedRateBytes + urgentBytes, handle.maxInFlight)
    }
  }

  /** Resolves with a permit once the calls may be sent; undefined when the signal aborts first. */
  acquire({ cost, leaseMs, signal, urgent = false }: AcquireOptions): Promise<Permit | undefined> | Permit {
    if (this.#slots === undefined && this.rate.isFree) return { ...noSlot, cost: cost() }
    if (this.#waiting.length === 0 && this.#urgent.length === 0 && (urgent || !this.#othersAreUrgent())) {
      const permit = this.#tryAcquire(cost(), leaseMs)
      if (permit !== undefined) {
        this.#jumped &&= urgent
        return permit
      }
    }
    if (signal.aborted) return Promise.resolve(undefined)
    const queue = urgent ? this.#urgent : this.#waiting
    return new Promise((resolve) => {
      const waiter: Waiter = {
        cost,
        leaseMs,
        resolve: (permit) => {
          signal.removeEventListener("abort", onAbort)
          resolve(permit)
        },
      }
      const onAbort = () => {
        const at = queue.indexOf(waiter)
        if (at >= 0) queue.splice(at, 1)
        if (urgent && queue.length === 0) this.#announceUrgent(0)
        waiter.resolve(undefined)
        this.#wake?.abort()
      }
      signal.addEventListener("abort", onAbort, { once: true })
      queue.push(waiter)
      if (urgent) this.#wake?.abort()
      void this.#drain()
    })
  }

  release(permit: Permit): void {
    if (permit.slot < 0 || this.#slots === undefined) return
    // Only if it is still ours: an expired slot may have a new holder.
    Atomics.compareExchange(this.#slots, permit.slot, permit.until, 0)
    this.#wake?.abort()
  }

  /** First come, first served within a thread and queue. Threads compete, each after a wait with jitter. */
  async #drain(): Promise<void> {
    if (this.#draining) return
    this.#draining = true
    let waitMs = 1
    while (this.#waiting.length > 0 || this.#urgent.length > 0) {
      const queue = this.#nextQueue()
      const first = queue[0]!
      const permit = this.#mayTry(queue) ? this.#tryAcquire(first.cost(), first.leaseMs) : undefined
      if (permit !== undefined) {
        queue.shift()
        this.#jumped = queue === this.#urgent
        if (this.#jumped) this.#announceUrgent(0)
        first.resolve(permit)
        waitMs = 1
        continue
      }
      const dueMs = this.rate.delayMs()
      const sleepMs = dueMs > 0 ? dueMs + maxJitterMs * this.#random.next() : waitMs * (0.75 + this.#random.next() / 2)
      if (queue === this.#urgent && !this.#jumped) this.#announceUrgent(sleepMs + urgentGraceMs)
      this.#wake = new AbortController()
      await this.#clock.sleep(sleepMs, this.#wake.signal)
      this.#wake = undefined
      waitMs = Math.min(waitMs * 2, maxRetryMs)
    }
    this.#draining = false
  }

  #nextQueue(): Waiter[] {
    if (this.#urgent.length === 0) return this.#waiting
    return this.#jumped && this.#waiting.length > 0 ? this.#waiting : this.#urgent
  }

  /** After an urgent permit an ordinary request of this thread is next, whatever other threads announce. */
  #mayTry(queue: Waiter[]): boolean {
    return queue === this.#urgent || this.#jumped || !this.#othersAreUrgent()
  }

  // In hundredths of a second by the wall clock, as the slots are. It expires, so that a thread that dies while it
  // waits blocks no other.
  #announceUrgent(forMs: number): void {
    Atomics.store(this.#urgentUntil, 0, forMs === 0 ? 0 : this.#hundredths() + Math.ceil(forMs / 10))
  }

  #othersAreUrgent(): boolean {
    const aheadOfNow = Atomics.load(this.#urgentUntil, 0) - this.#hundredths()
    // Further ahead than any wait: written before the clock was set back.
    return aheadOfNow > 0 && aheadOfNow < 500
  }

  // Wall clock: the monotonic clocks of threads have different origins. Wraps every 248 days.
  #hundredths(): number {
    return Math.floor(this.#clock.now() / 10) % 0x7fff_0000
  }

  #tryAcquire(cost: number, leaseMs: number): Permit | undefined {
    const place = this.#slots === undefined ? noSlot : this.#takeSlot(this.#slots, leaseMs)
    if (place === undefined) return undefined
    if (!this.rate.tryTake(cost)) {
      if (this.#slots !== undefined) Atomics.compareExchange(this.#slots, place.slot, place.until, 0)
      return undefined
    }
    return { ...place, cost }
  }

  #takeSlot(slots: Int32Array, leaseMs: number): Omit<Permit, "cost"> | undefined {
    const now = this.#hundredths()
    const start = Math.floor(this.#random.next() * slots.length)
    for (let i = 0; i < slots.length; i++) {
      const slot = (start + i) % slots.length
      const held = Atomics.load(slots, slot)
      // Far in the future: written before the wall clock was set back, or before the count wrapped.
      if (held !== 0 && held > now && held - now < 360_000) continue
      const until = Math.max(1, now + Math.ceil(leaseMs / 10) + 1)
      if (Atomics.compareExchange(slots, slot, held, until) === held) return { slot, until }
    }
    return undefined
  }
}
