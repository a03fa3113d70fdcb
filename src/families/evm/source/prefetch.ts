// Sends the requests for the batches of one range ahead of the consumer: bounded in number and, together with all
// other ranges of the source, in bytes. Batches are returned in height order.

import type { BlockRange } from "../../../domain/block-range.js"
import type { BatchSize } from "../../../source/batch-size.js"
import type { ByteBudget } from "../../../source/byte-budget.js"
import type { RequestsAhead } from "../../../source/requests-ahead.js"
import type { FetchedBatch } from "./fetch-blocks.js"

export interface PrefetchOptions {
  readonly range: BlockRange
  /** In flight at the same time. */
  readonly maxRequests: number
  /** In flight or waiting to be consumed. */
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
  #inFlight = 0
  #isFirst = true
  #taken: Slot | undefined
  #stopped = false
  #onSlot: (() => void) | undefined

  constructor(options: PrefetchOptions) {
    this.#options = options
    this.#next = options.range.from
    this.#fill()
  }

  /** The next batches in order, undefined at the end. Those returned before then count as consumed. */
  async take(): Promise<readonly FetchedBatch[] | undefined> {
    this.#releaseTaken()
    if (this.#slots.length === 0) this.#fill()
    while (this.#slots.length === 0) {
      if (this.#stopped || this.#next >= this.#options.range.to) return undefined
      // Other ranges hold the bytes: wait until one releases some.
      await new Promise<void>((resolve) => {
        this.#onSlot = resolve
      })
    }
    const slot = this.#slots.shift()!
    this.#taken = slot
    // The first batch of a range says nothing: the consumer always waits for it.
    if (!this.#isFirst) {
      if (slot.fetched === undefined) this.#options.ahead.tooFew()
      else if (this.#inFlight === 0) this.#options.ahead.enough()
    }
    this.#isFirst = false
    this.#fill()
    return slot.batches
  }

  /** Releases what is held. The caller's signal ends the requests in flight. */
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
    // Only when the consumer asks for more: one that was stopped may still be reading.
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
      this.#inFlight < (size.guessing ? 1 : maxRequests)
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
    this.#inFlight++
    const batches = this.#options.fetch(range)
    const slot: Slot = { bytes: estimate, batches }
    this.#slots.push(slot)
    this.#onSlot?.()
    const settled = (bytes: number) => {
      this.#inFlight--
      // Not when it was released meanwhile.
      if (slot.bytes > 0) {
        this.#options.budget.adjust(slot.bytes, bytes)
        slot.bytes = bytes
      }
      this.#fill()
    }
    // take() throws a failure. Until then only the requests in flight go on.
    batches.then(
      (all) => {
        slot.fetched = all
        settled(all.reduce((sum, batch) => sum + batch.bytes, 0))
      },
      () => settled(0),
    )
  }
}
