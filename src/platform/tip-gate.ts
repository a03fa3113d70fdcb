// The tip has priority: while a thread of this process is busy with a new block, the threads that fill history wait
// before their next step. The state is in shared memory, because these are different threads.

import type { Clock } from "./clock.js"

/** head: stores new blocks. tip: derives them. */
export type TipPart = "head" | "tip"

const slots: Readonly<Record<TipPart, number>> = { head: 0, tip: 1 }
const movedSlot = 2
/** The average interval between new blocks. */
const everySlot = 3
/** The tip is live for this long after a new block. */
const liveMs = 60_000
/** After this time there are many blocks, or the thread has died: history continues. */
const longestMs = 1_000
/**
 * The longest single wait of history. After a wait it continues for as long as it waited: it gets half of the time.
 */
const patienceMs = 300
const pollMs = 5
/** A new block needs shared rows at least this long after it is seen. */
const headStartMs = 20

export class TipGate {
  readonly memory: SharedArrayBuffer
  private readonly since: Float64Array
  private readonly clock: Clock
  private freeUntil = Number.NEGATIVE_INFINITY

  constructor({ clock, memory }: { clock: Clock; memory?: SharedArrayBuffer }) {
    this.clock = clock
    this.memory = memory ?? new SharedArrayBuffer(4 * Float64Array.BYTES_PER_ELEMENT)
    this.since = new Float64Array(this.memory)
  }

  begin(part: TipPart): void {
    this.since[slots[part]] = this.clock.monotonic()
  }

  /** Keeps what began after `until`: that is already the next block. */
  end(part: TipPart, until = Number.POSITIVE_INFINITY): void {
    if (this.since[slots[part]]! <= until) this.since[slots[part]] = 0
  }

  /** There is a new block. */
  moved(): void {
    const now = this.clock.monotonic()
    const last = this.since[movedSlot]!
    const every = this.since[everySlot]!
    if (last > 0) this.since[everySlot] = every > 0 ? every * 0.8 + (now - last) * 0.2 : now - last
    this.since[movedSlot] = now
  }

  get live(): boolean {
    const at = this.since[movedSlot]!
    return at > 0 && this.clock.monotonic() - at < liveMs
  }

  get busy(): boolean {
    const now = this.clock.monotonic()
    // A torn read delays history for one patience at most.
    return Object.values(slots).some((at) => this.since[at]! > 0 && now - this.since[at]! < longestMs)
  }

  /** For history, between two steps. */
  async pass(): Promise<void> {
    const began = this.clock.monotonic()
    if (began < this.freeUntil || !this.busy) return
    do await this.clock.sleep(pollMs)
    while (this.busy && this.clock.monotonic() - began < patienceMs)
    const now = this.clock.monotonic()
    this.freeUntil = now + (now - began)
  }

  /**
   * For history, before it locks rows that a new block may need, for about `lockedMs`. It waits for the next block if
   * that is due before the end of the lock. Work longer than the block interval waits only for a current block.
   */
  async passBefore(lockedMs: number): Promise<void> {
    const until = this.clock.monotonic() + patienceMs + lockedMs
    const meets = (): boolean => {
      const now = this.clock.monotonic()
      if (this.busy) return true
      const every = this.since[everySlot]!
      const next = this.since[movedSlot]! + every
      return this.live && lockedMs < every && now < next + headStartMs && now + lockedMs > next + headStartMs
    }
    while (meets() && this.clock.monotonic() < until) await this.clock.sleep(pollMs)
  }
}
