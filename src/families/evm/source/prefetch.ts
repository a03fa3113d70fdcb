// Requests for the batches of one range, sent ahead of the consumer: bounded in number and, with all other ranges of the
// source, in bytes. Batches come out in height order.

import type { BlockRange } from "../../../domain/block-range.js"
import type { BatchSize } from "../../../source/batch-size.js"
import type { ByteBudget } from "../../../source/byte-budget.js"
import type { RequestsAhead } from "../../../source/requests-ahead.js"
import type { FetchedBatch } from "./fetch-blocks.js"

export interface PrefetchOptions {
  readonly range: BlockRange
  /** Under way at the same time. */
  readonly maxRequests: number
  /** Under way or lying ready. */
  readonly ahead: RequestsAhead
  readonly budget: ByteBudget
  readonly size: BatchSize
  /** One batch, or several in order where it had to be split. */
  readonly fetch: (range: BlockRange) => Promise<readonly FetchedBatch[]>
}

interface Slot {
  bytes: number
  readonly batches: Promise<readonly FetchedBatch[]>
  fetched?: readonly FetchedBatch[]
}

export class Prefetch {
  readonly #options: PrefetchOptions
  readonly #slots: Slot[] = []
  readonly #pump = (): void => this.#fill()
  #next: number
  #underWay = 0
  #isFirst = true
  #taken: Slot | undefined
  #stopped = false
  #onSlot: (() => void) | undefined

  constructor(options: PrefetchOptions) {
    this.#options = options
    this.#next = options.range.from
    this.#fill()
  }

  /** The next batches in order, undefined at the end. What was given before counts as consumed from here on. */
  async take(): Promise<readonly FetchedBatch[] | undefined> {
    this.#releaseTaken()
    if (this.#slots.length === 0) this.#fill()
    while (this.#slots.length === 0) {
      if (this.#stopped || this.#next >= this.#options.range.to) return undefined
      // Other ranges hold the bytes: wait until one lets go.
      await new Promise<void>((resolve) => {
        this.#onSlot = resolve
      })
    }
    this.#taken = this.#slots.shift()
    this.#judge(this.#taken)
    return this.#taken?.batches
  }

  /** The first batch of a range is always waited for. */
  #judge(slot: Slot | undefined): void {
    if (!this.#isFirst && slot !== undefined) {
      if (slot.fetched === undefined) this.#options.ahead.tooFew()
      else if (this.#underWay === 0) this.#options.ahead.enough()
    }
    this.#isFirst = false
    this.#fill()
  }

  /** Gives back what is held. Requests under way are for the caller's signal to end. */
  stop(): void {
    this.#stopped = true
    this.#releaseTaken()
    for (const slot of this.#slots.splice(0)) this.#release(slot)
    this.#onSlot?.()
  }

  #releaseTaken(): void {
    if (this.#taken === undefined) return
    const slot = this.#taken
    this.#taken = undefined
    this.#release(slot)
    // Only here, where the consumer came back for more: one that was stopped may still be reading.
    if (!this.#stopped) for (const batch of slot.fetched ?? []) batch.release()
  }

  #release(slot: Slot): void {
    const { bytes } = slot
    slot.bytes = 0
    this.#options.budget.release(bytes)
  }

  #fill(): void {
    const { range, maxRequests, ahead, budget, size } = this.#options
    while (
      !this.#stopped &&
      this.#next < range.to &&
      this.#slots.length < ahead.count &&
      this.#underWay < (size.guessing ? 1 : maxRequests)
    ) {
      const to = Math.min(range.to, this.#next + size.blocks)
      const estimate = size.estimateBytes(to - this.#next)
      if (!budget.tryTake(estimate)) {
        budget.whenFreed(this.#pump)
        return
      }
      this.#start({ from: this.#next, to }, estimate)
      this.#next = to
    }
  }

  #start(range: BlockRange, estimate: number): void {
    this.#underWay++
    const batches = this.#options.fetch(range)
    const slot: Slot = { bytes: estimate, batches }
    this.#slots.push(slot)
    this.#onSlot?.()
    const settled = (bytes: number) => {
      this.#underWay--
      // Not when it was given back meanwhile.
      if (slot.bytes > 0) {
        this.#options.budget.adjust(slot.bytes, bytes)
        slot.bytes = bytes
      }
      this.#fill()
    }
    // A failure is for whoever takes the slot; nothing is fetched behind it meanwhile but what was under way.
    batches.then(
      (all) => {
        slot.fetched = all
        settled(all.reduce((sum, batch) => sum + batch.bytes, 0))
      },
      () => settled(0),
    )
  }
}
