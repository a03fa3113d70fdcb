// What the answers of one process over a run come to: how often it was ready, and when it was not and why.

import { percentile } from "./figures.js"

const answerWithinMs = 10_000
interface Stretch {
  readonly fromMs: number
  readonly reason: string
  answers: number
}

export class Answers {
  asked = 0
  failed = 0
  ready = 0
  readonly lags: number[] = []
  readonly #stretchesMs: number[] = []
  #stretch: Stretch | undefined

  constructor(
    readonly name: string,
    private readonly options: { readonly say: (text: string) => void; readonly passedMs: () => number },
  ) {}

  /** Status must always be answered; ready says by itself whether it is. */
  async ask(url: string): Promise<void> {
    const signal = AbortSignal.timeout(answerWithinMs)
    this.asked++
    let reason: string | undefined
    try {
      const answer = await fetch(`${url}/status`, { signal })
      if (answer.status >= 500) this.failed++
      const { chains } = (await answer.json()) as { chains?: { lag_blocks?: number | null }[] }
      const lag = chains?.[0]?.lag_blocks
      if (typeof lag === "number") this.lags.push(lag)
      const readiness = await fetch(`${url}/ready`, { signal })
      if (!readiness.ok) reason = await reasonOf(readiness)
    } catch (error) {
      this.failed++
      reason = `no answer: ${error instanceof Error ? error.message : error}`
    }
    if (reason === undefined) this.ready++
    this.#note(reason)
  }

  facts(): Record<string, string> {
    this.#note(undefined)
    const percent = (part: number, digits: number): string =>
      `${((100 * part) / Math.max(1, this.asked)).toFixed(digits)} %`
    const { name } = this
    const total = this.#stretchesMs.reduce((sum, ms) => sum + ms, 0)
    const longest = Math.max(0, ...this.#stretchesMs)
    const times = `${this.#stretchesMs.length} times, ${seconds(total)} s in all, ${seconds(longest)} s at most`
    return {
      [`${name}: uptime`]: `${percent(this.ready, 2)} of ${this.asked} answers of /ready`,
      [`${name}: not ready`]: this.#stretchesMs.length === 0 ? "never" : times,
      [`${name}: lag`]: `p50 ${percentile(this.lags, 0.5)}, p99 ${percentile(this.lags, 0.99)} blocks`,
      [`${name}: errors`]: `${percent(this.failed, 4)} of the answers of /status, ${this.failed} in all`,
    }
  }

  /** Says one line for each stretch, however many answers it had: they differ in numbers only. */
  #note(reason: string | undefined): void {
    if (reason !== undefined && this.#stretch) this.#stretch.answers++
    else if (reason !== undefined) this.#stretch = { fromMs: this.options.passedMs(), reason, answers: 1 }
    else if (this.#stretch) {
      const { fromMs, answers, reason: first } = this.#stretch
      const toMs = this.options.passedMs()
      this.#stretchesMs.push(toMs - fromMs)
      const when = `${seconds(fromMs)} to ${seconds(toMs)} s`
      this.options.say(`${this.name} was not ready from ${when}, ${answers} answers: ${first}`)
      this.#stretch = undefined
    }
  }
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(0)

async function reasonOf(answer: Response): Promise<string> {
  const { chains = [], starting = [] } = (await answer.json()) as {
    chains?: { reason: string | null }[]
    starting?: { reason: string }[]
  }
  return [...chains, ...starting].map(({ reason }) => reason ?? "").find((text) => text !== "") ?? "it starts"
}
