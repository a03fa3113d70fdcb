// What a console has to show of a chain to which much has happened: nodes, processes, errors, rollbacks and acts of people,
// some of them in words that somebody chose to do harm.

import type { ServedStore } from "../support/served-store.js"

/** Markup, a mark that turns the direction of writing, a control character, and more than a line holds. */
const hostile = `<img src=x onerror=hacked=1><script>hacked=1</script>\u202egnp.exe\u0007${"W".repeat(300)}`

const now = (): number => Date.now()
const health = { state: "closed", lastError: null, lastErrorAtMs: null, mismatch: null, head: null }
const providers = () => [
  { ...health, label: "one.example", head: { height: 59, ageMs: 2_100, stillMs: 1_200, fault: null, left: false } },
  { ...health, label: "two.example", state: "open", lastError: hostile, lastErrorAtMs: now() - 42_000 },
  {
    ...{ ...health, label: "frozen.example" },
    head: { height: 12, ageMs: 600_000, stillMs: 580_000, fault: "frozen", left: true },
  },
  { ...health, label: "wrong.example", state: "open", mismatch: "5" },
]
const calls = (provider: string, method: string, count: number, errors: number) => ({
  ...{ provider, method, calls: count, errors },
  ...{ bytes: count * 2_000, ms: count * 40, perMinute: Math.round(count / 100) },
})

async function plantProcesses({ store: { raw } }: ServedStore): Promise<void> {
  const state = { threads: 2, followsHead: false, providers: [], paused: null, lastFault: null, lastStoredAtMs: null }
  const rate = { limit: 50, share: 20 }
  const insert = (host: string, pid: number, url: string | null, own: object) =>
    raw.query(
      `insert into raw.processes (id, host, pid, roles, version, http_url, started_at, seen_at, state)
       values (gen_random_uuid(), $1, $2, '{ingest,serve}', '0.1.0', $3, now() - interval '3 hours',
         now() + interval '1 day', $4)`,
      [host, pid, url, JSON.stringify({ ...state, rate, ...own })],
    )
  const asked = [calls("one.example", "eth_getBlockByNumber", 48_200, 12), calls("one.example", "eth_call", 3_100, 0)]
  await insert("worker-1", 5330, "http://127.0.0.1:8080", {
    ...{ followsHead: true, providers: providers(), calls: asked, rssBytes: 412_000_000, connections: 19 },
    ...{ lastStoredAtMs: now(), freeBytes: 3_400_000_000 },
  })
  const fault = { code: "RPC_TIMEOUT", message: hostile, atMs: now() - 12_000 }
  await insert("worker-2", 771, null, { lastFault: fault, rssBytes: 298_000_000 })
  await insert(hostile.slice(0, 120), 12, "javascript:hacked=1", { paused: "disk" })
}

const plantedRollback = "00000000-0000-4000-8000-000000000009"

async function plantActs({ store }: ServedStore): Promise<void> {
  const act = (schema: "raw" | "app", minutes: number, actor: string, action: string, details: object) =>
    store[schema].query(
      `insert into ${schema}.audit_log (at, actor, action, details)
       values (now() - $1::int4 * interval '1 minute', $2, $3, $4)`,
      [minutes, actor, action, JSON.stringify(details)],
    )
  await act("app", 3, "ann@192.0.2.7", "pause", { worker_type: "stats_worker", reason: hostile })
  await act("app", 4, "ann@192.0.2.7", "concurrency", { worker_type: "token_worker", concurrency: 3 })
  await act("app", 9, "admin@127.0.0.1", "skip", { worker_type: "meta_worker", height: 30, last_error: "no room" })
  await act("raw", 14, "admin@127.0.0.1", "retry", { worker_type: "raw_ingester", from: "20", to: "21" })
  const dependents = ["ft_holdings_worker", "nft_ownership_worker"]
  await act("app", 41, hostile.slice(0, 90), "rederive", {
    worker_type: "token_worker",
    heights: "{[30,34)}",
    dependents,
  })
  const id = plantedRollback
  await act("raw", 90, "bob@198.51.100.4", "rollback", { id, to: 44, blocks: 16, halt: null, reason: "a fork" })
  for (let at = 0; at < 60; at++)
    await act("app", 100 + at, "cat@host", "resolve", { errors: { meta_worker: 3 }, height: at })
  await store.raw.query(
    `insert into raw.rollbacks (id, epoch, removed, reason, highest_height, opened_at, created_at) values
       ($1, -1, '[45,)', 'a fork, asked for by bob@198.51.100.4', 60, now() - interval '90 minutes',
         now() - interval '90 minutes' + interval '2300 ms'),
       (gen_random_uuid(), -2, '[38,)', $2, 39, null, now() - interval '26 hours')`,
    [id, `reorganisation: ${hostile}`],
  )
}

async function plantErrors({ store }: ServedStore): Promise<void> {
  const error = (schema: "raw" | "app", worker: string, height: number, severity: string, message: string) =>
    store[schema].query(
      `insert into ${schema}.indexing_errors (worker_name, block_height, error_hash, error_message, severity, seen)
       values ($1, $2, decode(md5($3), 'hex'), $3, $4, 3)`,
      [worker, height, message, severity],
    )
  await error("app", "ft_holdings_worker", 30, "FATAL", "extract ran out of memory")
  await error("app", "token_worker", 31, "WARN", hostile)
  await error("app", "meta_worker", 32, "WARN", "no code at 0xabc")
  await error("raw", "raw_ingester", 20, "FATAL", "the receipts root of block 20 differs")
}

export async function plantIncidents(served: ServedStore): Promise<void> {
  await plantProcesses(served)
  await plantActs(served)
  await plantErrors(served)
}
