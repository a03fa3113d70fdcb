// The processes of a chain as they report themselves, and the providers as all of them see them.

import { Type } from "typebox"
import { type OpsList, wholeList } from "../queries/ops-list.js"
import type { ServedChain } from "../queries/served-chain.js"
import { orNull, time, wholeOrNull } from "../queries/value-schemas.js"
import type { ProcessRow } from "../status/chain-status.js"
import { mergeProviders } from "../status/merge-providers.js"
import { readProcesses } from "../status/read-status-rows.js"
import { processJson, providerJson } from "../status/status-json.js"

/** As in status: who was silent for longer counts as gone. */
const seenWithinMs = 30_000
const processesOf = (chain: ServedChain): Promise<readonly ProcessRow[]> =>
  chain.read("raw", (tx) => readProcesses(tx, seenWithinMs))

export const opsProcesses: OpsList = {
  path: "/processes",
  summary: "Processes that reported in the last 30 s",
  query: {},
  row: {
    id: Type.String(),
    host: Type.String(),
    pid: Type.Integer(),
    roles: Type.Array(Type.String()),
    version: Type.String(),
    http_url: orNull("string"),
    up_ms: Type.Integer(),
    seen_ago_ms: Type.Integer(),
    threads: Type.Integer(),
    follows_head: Type.Boolean(),
    paused: orNull("string"),
    rss_bytes: Type.Integer(),
    connections: wholeOrNull,
    last_fault: Type.Union([Type.Null(), Type.Object({ code: Type.String(), message: Type.String(), at: time })]),
    last_stored_at: orNull("string"),
    idle_workers: Type.Array(Type.Object({ worker: Type.String(), message: Type.String() })),
    rate_limit: orNull("number"),
    rate_share: orNull("number"),
    calls_per_minute: Type.Integer(),
  },
  read: async (chain, { after }) => {
    const processes = await processesOf(chain)
    const rows = processes.map((process) => {
      const { lastFault, lastStoredAtMs, idleWorkers, rate, calls = [], connections = null } = process.state
      const row = {
        ...{ ...processJson(process), connections },
        last_fault: lastFault && {
          code: lastFault.code,
          message: lastFault.message,
          at: new Date(lastFault.atMs).toISOString(),
        },
        last_stored_at: lastStoredAtMs === null ? null : new Date(lastStoredAtMs).toISOString(),
        idle_workers: idleWorkers ?? [],
        rate_limit: rate?.limit ?? null,
        rate_share: rate?.share ?? null,
        calls_per_minute: calls.reduce((sum, { perMinute }) => sum + perMinute, 0),
      }
      return { key: [process.id], row }
    })
    return wholeList(rows, after)
  },
}

export const opsProviders: OpsList = {
  path: "/providers",
  summary: "Nodes as the processes see them, and what each was asked",
  query: {},
  row: {
    label: Type.String(),
    state: Type.Enum(["closed", "half-open", "open"]),
    last_error: orNull("string"),
    last_error_at: orNull("string"),
    wrong_chain_id: orNull("string"),
    processes: Type.Integer(),
    open_in: Type.Integer(),
    head_height: orNull("string"),
    head_age_ms: wholeOrNull,
    still_ms: wholeOrNull,
    head_fault: orNull("string"),
    left: Type.Boolean(),
    rate_limit: orNull("number"),
    rate_share: orNull("number"),
    methods: Type.Array(
      Type.Object({
        method: Type.String(),
        calls: Type.Integer(),
        errors: Type.Integer(),
        bytes: Type.Integer(),
        seconds: Type.Number(),
        per_minute: Type.Integer(),
      }),
    ),
  },
  read: async (chain, { after }) => {
    const processes = await processesOf(chain)
    const calls = processes.flatMap(({ state }) => state.calls ?? [])
    // The same for every provider.
    const rates = processes.flatMap(({ state }) => state.rate ?? [])
    const rate = {
      rate_limit: rates[0]?.limit ?? null,
      rate_share: rates.length > 0 ? rates.reduce((sum, { share }) => sum + share, 0) : null,
    }
    const rows = mergeProviders(processes.flatMap(({ state }) => state.providers)).map((provider) => ({
      key: [provider.label],
      row: { ...providerJson(provider), ...rate, methods: methodsOf(provider.label, calls) },
    }))
    return wholeList(rows, after)
  },
}

type Calls = NonNullable<ProcessRow["state"]["calls"]>

/** Of all processes together, the most called first. */
function methodsOf(label: string, calls: Calls) {
  const names = new Set(calls.filter(({ provider }) => provider === label).map(({ method }) => method))
  const sumOf = (method: string) => {
    const own = calls.filter((one) => one.provider === label && one.method === method)
    const sum = (field: "calls" | "errors" | "bytes" | "ms" | "perMinute"): number =>
      own.reduce((total, one) => total + one[field], 0)
    return {
      ...{ method, calls: sum("calls"), errors: sum("errors"), bytes: sum("bytes") },
      ...{ seconds: sum("ms") / 1_000, per_minute: sum("perMinute") },
    }
  }
  return [...names].map(sumOf).sort((a, b) => b.calls - a.calls || (a.method < b.method ? -1 : 1))
}
