// Answers kept for a while, a bounded number of them, and made once however many ask for them at the same time.

import type { Clock } from "../../platform/clock.js"

export interface KeptAnswersOptions<T> {
  readonly clock: Clock
  readonly most: number
  /** How long this answer is kept. */
  readonly keepMs: (answer: T) => number
  /** At most so many are made at a time; the next wait. */
  readonly atOnce: number
}

export class KeptAnswers<T> {
  private readonly kept = new Map<string, { readonly answer: Promise<T>; until: number }>()
  private readonly waiting: (() => void)[] = []
  private making = 0

  constructor(private readonly options: KeptAnswersOptions<T>) {}

  /** What is made is for everyone who asks, so it does not end with whoever asked first. */
  get(key: string, make: () => Promise<T>): Promise<T> {
    const { clock, most, keepMs } = this.options
    const known = this.kept.get(key)
    if (known && known.until > clock.monotonic()) return known.answer
    const entry = { answer: this.inTurn(make), until: Number.POSITIVE_INFINITY }
    this.kept.delete(key)
    this.kept.set(key, entry)
    if (this.kept.size > most) this.kept.delete(this.kept.keys().next().value!)
    entry.answer.then(
      (answer) => {
        entry.until = clock.monotonic() + keepMs(answer)
      },
      () => {
        if (this.kept.get(key) === entry) this.kept.delete(key)
      },
    )
    return entry.answer
  }

  private async inTurn(make: () => Promise<T>): Promise<T> {
    if (this.making >= this.options.atOnce) await new Promise<void>((resolve) => this.waiting.push(resolve))
    else this.making++
    try {
      return await make()
    } finally {
      // The place is handed on.
      const next = this.waiting.shift()
      if (next) next()
      else this.making--
    }
  }
}
