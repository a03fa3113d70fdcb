// The tip goes first. While a thread of this process is busy with a new block, the threads that fill history wait at their
// next step, so that the block finds the processors and the database free. In shared memory, since they are different threads.

import type { Clock } from "./clock.js"

/** head: whoever stores new blocks. tip: whoever derives them. */
export type TipPart = "head" | "tip"

const slots: Readonly<Record<TipPart, number>> = { head: 0, tip: 1 }
const movedSlot = 2
/** How long it usually is from one new block to the next. */
const everySlot = 3
/** A tip that moved within this is one that somebody watches. */
const liveMs = 60_000
/** After this it is not one block any more but many, or its thread is gone: history goes on beside it. */
const longestMs = 1_000
/** How long history waits at once. After that, and after any shorter wait, it goes on for as long as it has waited: half of the time is its own. */
const patienceMs = 300
const lookEveryMs = 5
/** A new block reaches for rows that others change this long after it was seen, at the soonest; and a commit takes its time. */
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

  /** Not what began after `until`: somebody has the next block already. */
  end(part: TipPart, until = Number.POSITIVE_INFINITY): void {
    if (this.since[slots[part]]! <= until) this.since[slots[part]] = 0
  }

  /** There is a block that was not there before. */
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
    // A torn read could at worst hold history up for one patience.
    return Object.values(slots).some((at) => this.since[at]! > 0 && now - this.since[at]! < longestMs)
  }

  /** For history, between two steps. */
  async pass(): Promise<void> {
    const began = this.clock.monotonic()
    if (began < this.freeUntil || !this.busy) return
    do await this.clock.sleep(lookEveryMs)
    while (this.busy && this.clock.monotonic() - began < patienceMs)
    const now = this.clock.monotonic()
    this.freeUntil = now + (now - began)
  }

  /**
   * For history, before it locks rows for about so long that a new block may want: after that block where it would come in between.
   * What takes longer than from one block to the next cannot be kept apart from them, and begins when one is done.
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
    while (meets() && this.clock.monotonic() < until) await this.clock.sleep(lookEveryMs)
  }
}
