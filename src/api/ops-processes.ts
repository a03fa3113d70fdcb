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
  summary: "Processes that were heard of in the last 30 s",
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
    last_fault: Type.Union([Type.Null(), Type.Object({ code: Type.String(), message: Type.String(), at: time })]),
    last_stored_at: orNull("string"),
    idle_workers: Type.Array(Type.Object({ worker: Type.String(), message: Type.String() })),
  },
  read: async (chain, { after }) => {
    const processes = await processesOf(chain)
    const rows = processes.map((process) => {
      const { lastFault, lastStoredAtMs, idleWorkers } = process.state
      const row = {
        ...processJson(process),
        last_fault: lastFault && {
          code: lastFault.code,
          message: lastFault.message,
          at: new Date(lastFault.atMs).toISOString(),
        },
        last_stored_at: lastStoredAtMs === null ? null : new Date(lastStoredAtMs).toISOString(),
        idle_workers: idleWorkers ?? [],
      }
      return { key: [process.id], row }
    })
    return wholeList(rows, after)
  },
}

export const opsProviders: OpsList = {
  path: "/providers",
  summary: "Nodes as the processes see them",
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
  },
  read: async (chain, { after }) => {
    const seen = (await processesOf(chain)).flatMap(({ state }) => state.providers)
    return wholeList(
      mergeProviders(seen).map((provider) => ({ key: [provider.label], row: providerJson(provider) })),
      after,
    )
  },
}
