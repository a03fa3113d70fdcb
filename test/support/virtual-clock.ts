// A clock that stands still until a test moves it.

import type { Clock } from "../../src/platform/clock.js"

export class VirtualClock implements Clock {
  private at = 1_700_000_000_000
  private sleepers: { until: number; wake: () => void }[] = []

  now(): number {
    return this.at
  }

  monotonic(): number {
    return this.at
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted || ms <= 0) return Promise.resolve()
    return new Promise((resolve) => {
      const wake = (): void => {
        signal?.removeEventListener("abort", wake)
        this.sleepers = this.sleepers.filter((sleeper) => sleeper.wake !== wake)
        resolve()
      }
      this.sleepers.push({ until: this.at + ms, wake })
      signal?.addEventListener("abort", wake, { once: true })
    })
  }

  yield(): Promise<void> {
    return Promise.resolve()
  }

  /** Until the first sleeper is due; undefined when nobody sleeps. */
  nextMs(): number | undefined {
    return this.sleepers.length === 0 ? undefined : Math.min(...this.sleepers.map(({ until }) => until)) - this.at
  }

  advance(ms: number): void {
    this.at += ms
    const due = this.sleepers.filter(({ until }) => until <= this.at)
    this.sleepers = this.sleepers.filter(({ until }) => until > this.at)
    for (const { wake } of due) wake()
  }
}
