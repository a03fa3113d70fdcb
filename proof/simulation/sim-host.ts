// One process as the rest of the world sees it: its requests take time, its timers wait, and it can be stopped, resumed
// and killed. The promises of a killed process never settle.

import type { Clock } from "../../src/platform/clock.js"
import type { Host, ModelConnection } from "./model/model-connection.js"
import type { Scheduler } from "./scheduler.js"
import type { SimRandom } from "./sim-random.js"

export interface SimHostOptions {
  readonly name: string
  readonly scheduler: Scheduler
  readonly random: SimRandom
  readonly slowPart: () => number
  readonly latencyMs: number
  readonly clockSkewMs: number
}

export class SimHost implements Host {
  readonly name: string
  readonly clock: Clock
  readonly random: SimRandom
  alive = true
  private readonly connections = new Set<ModelConnection>()
  private pausedAt: number | undefined
  private frozenMs = 0
  private lateMs = 0
  private hearNow: () => void = () => undefined
  private readonly inbox: (() => void)[] = []
  private readonly scheduler: Scheduler
  private readonly slowPart: () => number
  private readonly latencyMs: number
  /** Sleepers by signal, with one listener for each signal: loops sleep on the same one again and again. */
  private readonly sleepers = new WeakMap<AbortSignal, Set<() => void>>()

  constructor({ name, scheduler, random, slowPart, latencyMs, clockSkewMs }: SimHostOptions) {
    this.name = name
    this.scheduler = scheduler
    this.random = random
    this.slowPart = slowPart
    this.latencyMs = latencyMs
    const offset = (random.next() - 0.5) * 2 * clockSkewMs
    this.clock = {
      now: () => scheduler.now + offset,
      monotonic: () => scheduler.now - this.frozenMs,
      yield: () => Promise.resolve(),
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          if (signal?.aborted) return resolve()
          const sleepers = signal && this.sleepersOf(signal)
          const timer = scheduler.after(ms, () => {
            sleepers?.delete(cut)
            this.deliver(resolve)
          })
          const cut = (): void => {
            timer.run = undefined
            resolve()
          }
          sleepers?.add(cut)
        }),
    }
  }

  opened(connection: ModelConnection): void {
    this.connections.add(connection)
  }

  ended(connection: ModelConnection): void {
    this.connections.delete(connection)
  }

  coin(): boolean {
    return this.random.chance(0.5)
  }

  request<T>(effect: (settle: (error: unknown, value?: T) => void) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      this.scheduler.after(this.latency(), () => {
        if (!this.alive) return
        effect((error, value) => {
          const hear = (): void => this.deliver(() => (error ? reject(error) : resolve(value as T)))
          const { lateMs } = this
          if (lateMs === 0) return hear()
          this.lateMs = 0
          const timer = this.scheduler.after(lateMs, () => {
            this.hearNow = () => undefined
            hear()
          })
          this.hearNow = () => {
            timer.run?.()
            timer.run = undefined
          }
        })
      })
    })
  }

  /** Delays the next answer, until `letThrough` at most. */
  stall(ms: number): void {
    this.lateMs = ms
  }

  letThrough(): void {
    this.hearNow()
  }

  pause(): void {
    this.pausedAt ??= this.scheduler.now
  }

  /** `frozen`: its clock continues from where it stopped. */
  resume({ frozen }: { frozen: boolean }): void {
    if (this.pausedAt === undefined) return
    if (frozen) this.frozenMs += this.scheduler.now - this.pausedAt
    this.pausedAt = undefined
    for (const hear of this.inbox.splice(0)) hear()
  }

  /** `silent`: the server keeps its connections open, with all their locks. */
  kill({ silent }: { silent: boolean }): void {
    this.alive = false
    this.inbox.length = 0
    if (!silent) for (const connection of [...this.connections]) connection.destroy()
  }

  private sleepersOf(signal: AbortSignal): Set<() => void> {
    let sleepers = this.sleepers.get(signal)
    if (!sleepers) {
      const all = new Set<() => void>()
      sleepers = all
      this.sleepers.set(signal, all)
      const wake = (): void => {
        for (const cut of all) cut()
        all.clear()
      }
      signal.addEventListener("abort", wake, { once: true })
    }
    return sleepers
  }

  private deliver(hear: () => void): void {
    if (!this.alive) return
    if (this.pausedAt !== undefined) this.inbox.push(hear)
    else hear()
  }

  private latency(): number {
    const { random } = this
    if (random.chance(this.slowPart()))
      return random.chance(0.1) ? 500 + random.next() * 2_500 : 5 + random.next() * 300
    return 0.1 + random.next() * this.latencyMs
  }
}
