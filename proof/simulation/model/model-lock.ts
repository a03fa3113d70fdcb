// An advisory lock of transactions: shared by many or held by one, and served in turn, so that a waiting writer is not passed by.

import type { ModelTransaction } from "./model-transaction.js"

interface Waiter {
  readonly transaction: ModelTransaction
  readonly shared: boolean
  readonly granted: () => void
}

export class ModelLock {
  private readonly sharers = new Set<ModelTransaction>()
  private owner: ModelTransaction | undefined
  private queue: Waiter[] = []

  /** Whoever stands in the way. */
  holders(): readonly ModelTransaction[] {
    return this.owner ? [this.owner, ...this.sharers] : [...this.sharers]
  }

  get isAwaited(): boolean {
    return this.queue.length > 0
  }

  tryTake(transaction: ModelTransaction, shared: boolean): boolean {
    if (!this.isFree(transaction, shared)) return false
    this.give(transaction, shared)
    return true
  }

  /** True when it was had at once; else `granted` is called later. */
  take(transaction: ModelTransaction, shared: boolean, granted: () => void): boolean {
    const isHeld = this.owner === transaction || (shared && this.sharers.has(transaction))
    if ((isHeld || this.queue.length === 0) && this.tryTake(transaction, shared)) return true
    this.queue.push({ transaction, shared, granted })
    return false
  }

  /** No longer waits for it. */
  leave(transaction: ModelTransaction): void {
    this.queue = this.queue.filter((waiter) => waiter.transaction !== transaction)
    this.serve()
  }

  release(transaction: ModelTransaction): void {
    this.sharers.delete(transaction)
    if (this.owner === transaction) this.owner = undefined
    this.leave(transaction)
  }

  private serve(): void {
    for (let first = this.queue[0]; first && this.isFree(first.transaction, first.shared); first = this.queue[0]) {
      this.queue.shift()
      this.give(first.transaction, first.shared)
      first.granted()
    }
  }

  private isFree(transaction: ModelTransaction, shared: boolean): boolean {
    if (this.owner !== undefined && this.owner !== transaction) return false
    if (shared) return true
    for (const sharer of this.sharers) if (sharer !== transaction) return false
    return true
  }

  private give(transaction: ModelTransaction, shared: boolean): void {
    if (shared) this.sharers.add(transaction)
    else this.owner = transaction
    if (!transaction.locks.includes(this)) transaction.locks.push(this)
  }
}
