// Combines the reports of a chain's ingest threads into the state of the process, for status and the heartbeat.

import type { ProviderHealth } from "../source/block-source.js"
import type { ProcessState } from "../status/process-state.js"
import type { IngestReport } from "./ingest-messages.js"

export class IngestActivity {
  paused: string | null = null
  private readonly latest = new Map<number, IngestReport>()
  /** By thread and provider: reports since the last answer. */
  private readonly silence = new Map<string, number>()

  add(thread: number, report: IngestReport): void {
    this.latest.set(thread, report)
    for (const { label } of report.providers) {
      const answered = report.rpc.some(({ provider, code }) => provider === label && code === "ok")
      const key = `${thread} ${label}`
      this.silence.set(key, answered ? 0 : (this.silence.get(key) ?? silentReports) + 1)
    }
  }

  state(rssBytes: number): ProcessState {
    const reports = [...this.latest.values()]
    const faults = reports.flatMap(({ lastFault }) => lastFault ?? []).sort((a, b) => b.atMs - a.atMs)
    const stored = reports.flatMap(({ lastStoredAtMs }) => lastStoredAtMs ?? [])
    return {
      threads: reports.length,
      followsHead: reports.some(({ following }) => following),
      providers: [...this.answers().values()].map(healthOf),
      paused: this.paused,
      lastFault: faults[0] ?? null,
      lastStoredAtMs: stored.length > 0 ? Math.max(...stored) : null,
      rssBytes,
    }
  }

  private answers(): Map<string, Answer[]> {
    const byLabel = new Map<string, Answer[]>()
    for (const [thread, { providers }] of this.latest) {
      for (const provider of providers) {
        const silence = this.silence.get(`${thread} ${provider.label}`) ?? silentReports
        byLabel.set(provider.label, [...(byLabel.get(provider.label) ?? []), { provider, silence }])
      }
    }
    return byLabel
  }
}

/** A thread without an answer for this many reports, ten seconds, does not know the provider's state. */
const silentReports = 20
const badness = { closed: 0, "half-open": 1, open: 2 } as const

interface Answer {
  readonly provider: ProviderHealth
  /** Reports since the provider last answered this thread. */
  readonly silence: number
}

/**
 * Every thread has its own circuit for a provider; the provider is healthy if one thread reaches it. An idle thread has a
 * closed circuit too, but does not count. A provider on the wrong chain is so for all threads. Its head is known to one
 * thread only.
 */
function healthOf(answers: readonly Answer[]): ProviderHealth {
  const mistaken = answers.find(({ provider }) => provider.mismatch !== null)
  if (mistaken) return mistaken.provider
  const knowing = answers.filter(({ provider, silence }) => provider.state !== "closed" || silence < silentReports)
  const [best] = (knowing.length > 0 ? knowing : answers)
    .map(({ provider }) => provider)
    .sort((a, b) => badness[a.state] - badness[b.state] || (b.lastErrorAtMs ?? 0) - (a.lastErrorAtMs ?? 0))
  const { head } = answers.find(({ provider }) => provider.head)?.provider ?? {}
  return head ? { ...best!, head } : best!
}
