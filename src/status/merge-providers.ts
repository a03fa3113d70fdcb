// Providers as all processes see them, one row each. Pure.

import type { ProviderHealth } from "../source/block-source.js"
import type { ProviderSummary } from "./chain-status.js"

const rank = { closed: 0, "half-open": 1, open: 2 } as const

export function mergeProviders(seen: Iterable<ProviderHealth>): readonly ProviderSummary[] {
  const merged = new Map<string, ProviderSummary>()
  for (const one of seen) {
    const held = merged.get(one.label)
    const openIn = one.state === "open" ? 1 : 0
    merged.set(one.label, held ? combine(held, one, openIn) : { ...one, processes: 1, openIn })
  }
  return [...merged.values()].sort((a, b) => (a.label < b.label ? -1 : 1))
}

function combine(held: ProviderSummary, one: ProviderHealth, openIn: number): ProviderSummary {
  const newest = (one.lastErrorAtMs ?? -1) > (held.lastErrorAtMs ?? -1) ? one : held
  return {
    label: held.label,
    state: rank[one.state] < rank[held.state] ? one.state : held.state,
    lastError: newest.lastError,
    lastErrorAtMs: newest.lastErrorAtMs,
    mismatch: held.mismatch ?? one.mismatch,
    processes: held.processes + 1,
    openIn: held.openIn + openIn,
    // Only the process that follows the head knows it.
    head: held.head ?? one.head ?? null,
  }
}
