// What a provider is to the processes now, and why, in words. Pure.

import type { RowOf } from "../../data/api-query"
import { plural } from "../../parts/format-number"
import { formatDuration } from "../../parts/format-time"
import { plainText } from "../../parts/plain-text"

export type Provider = RowOf<"/ops/providers">

export interface ProviderState {
  readonly state: string
  readonly tone: "plain" | "partial" | "failed"
  readonly why: string
}

const faults: Readonly<Record<string, (provider: Provider) => string>> = {
  frozen: ({ still_ms }) =>
    `its head has not moved for ${formatDuration(still_ms ?? 0)} while the chain should have moved`,
  behind: () => "it is far below the other nodes",
  ahead: () => "it alone claims blocks far above those of the other nodes",
  fork: () => "the other nodes are on another chain",
}

export function providerState(provider: Provider, now: number): ProviderState {
  const { state, wrong_chain_id, head_fault, processes, open_in } = provider
  if (wrong_chain_id !== null) {
    const why = `It serves the chain ${plainText(wrong_chain_id, 40)}, which is not this one. Nothing it says is used: remove it from RPC_URL, or correct its address.`
    return { state: "refused", tone: "failed", why }
  }
  if (state === "open") {
    const why = `Calls to it fail, so ${plural(open_in, "process", "processes")} of ${processes} leave it out for a while and then try it again.`
    return { state: "left out", tone: "failed", why: why + lastError(provider, now) }
  }
  if (state === "half-open")
    return {
      state: "tried again",
      tone: "partial",
      why: `Calls to it failed; it is being tried.${lastError(provider, now)}`,
    }
  const fault = head_fault === null ? undefined : faults[head_fault]
  if (fault) {
    const left = provider.left ? "Another node's head is followed." : "Its head is followed, for want of a better one."
    return { state: head_fault!, tone: "partial", why: `Not trusted for the head: ${fault(provider)}. ${left}` }
  }
  const some =
    open_in > 0 ? ` ${plural(open_in, "process", "processes")} of ${processes} leave it out at the moment.` : ""
  return {
    state: "in use",
    tone: some === "" ? "plain" : "partial",
    why: `Asked by ${plural(processes, "process", "processes")}.${some}${lastError(provider, now)}`,
  }
}

function lastError({ last_error, last_error_at }: Provider, now: number): string {
  if (last_error === null) return ""
  const age = last_error_at === null ? "" : `, ${formatDuration(Math.max(0, now - Date.parse(last_error_at)))} ago`
  return ` Its last error${age}: ${plainText(last_error, 200)}`
}

export interface ProviderSums {
  readonly calls: number
  readonly errors: number
  readonly bytes: number
  readonly seconds: number
  readonly perMinute: number
}

export const sumOf = ({ methods }: Provider): ProviderSums =>
  methods.reduce(
    (sum, { calls, errors, bytes, seconds, per_minute }) => ({
      calls: sum.calls + calls,
      errors: sum.errors + errors,
      bytes: sum.bytes + bytes,
      seconds: sum.seconds + seconds,
      perMinute: sum.perMinute + per_minute,
    }),
    { calls: 0, errors: 0, bytes: 0, seconds: 0, perMinute: 0 },
  )

/** Of one call. */
export const formatWait = (seconds: number, calls: number): string => {
  if (calls === 0) return "–"
  const ms = (seconds * 1_000) / calls
  return ms < 10 ? `${ms.toFixed(1)} ms` : ms < 10_000 ? `${Math.round(ms)} ms` : formatDuration(ms)
}
