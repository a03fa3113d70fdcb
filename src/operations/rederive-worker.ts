// Removes what a worker and all its dependents have derived: tokens, coverage, tables and registration, in one
// transaction. The next process that declares them creates the tables and derives them. Refused while a process
// derives.

import { resolveOpenErrors } from "../indexing-errors/resolve-errors.js"
import { IndexerError } from "../platform/errors.js"
import { lockTables } from "../postgres/advisory-lock.js"
import { quoteIdentifier } from "../postgres/quote-identifier.js"
import type { Queryable } from "../postgres/transaction.js"
import { readProcesses } from "../status/read-status-rows.js"
import { downstreamOf } from "../workers/downstream.js"
import { readStoredWorkers } from "../workers/read-stored-workers.js"
import { workerSchema } from "../workers/worker-registry.js"
import { noSuchWorker } from "./not-found.js"
import type { OperatedChain } from "./operated-chain.js"

export interface Rederived {
  readonly workers: readonly string[]
  readonly tables: readonly string[]
}

/** Longer than a living process is ever silent. */
const workSeenWithinMs = 15_000
const limits = { lockTimeoutMs: 10_000, idleInTransactionTimeoutMs: 10_000 } as const

/** What it would drop; nothing where the worker is no longer registered. */
export async function planRederive(chain: OperatedChain, { worker }: { readonly worker: string }): Promise<Rederived> {
  await refuseWhileWorking(chain)
  return reach(chain.app, worker)
}

/** Throws NOT_FOUND where nothing of that name is known, STILL_RUNNING while a process derives. */
export async function rederiveWorker(
  chain: OperatedChain,
  { actor, worker }: { readonly actor: string; readonly worker: string },
): Promise<Rederived> {
  // A process that uses one of the tables would wait for the chain lock and this for the table: a deadlock. Nor
  // would it create the dropped tables again.
  await refuseWhileWorking(chain)
  const ledger = chain.ledgers.app
  const done = await chain.app.transaction(async (tx) => {
    // A process that starts waits here, and finds them gone.
    await lockTables(tx, "workers")
    await ledger.lockChain(tx, "exclusive")
    const below = await reach(tx, worker)
    const workers = [...new Set([worker, ...below.workers])]
    const { tables } = below
    const wasRegistered = await ledger.forget(tx, workers)
    if (!wasRegistered && tables.length === 0) return undefined
    for (const table of tables) await tx.query(`drop table if exists ${quoteIdentifier(workerSchema, table)}`)
    // With its rows of app.worker_tables.
    await tx.query("delete from app.workers where name = any ($1)", [workers])
    await resolveOpenErrors(tx, "app", { workers })
    await chain.family.forgetQueues(tx, workers)
    await ledger.writeAudit(tx, {
      actor,
      action: "rederive",
      details: { worker_type: worker, workers, tables },
    })
    return { workers, tables }
  }, limits)
  if (!done) throw await noSuchWorker(chain, worker)
  return done
}

async function reach(app: Queryable, worker: string): Promise<Rederived> {
  const stored = await readStoredWorkers(app)
  const workers = downstreamOf(stored, [worker])
  return {
    workers,
    tables: stored.filter(({ name }) => workers.includes(name)).flatMap((one) => one.tables),
  }
}

async function refuseWhileWorking({ name, raw }: OperatedChain): Promise<void> {
  const working = (await readProcesses(raw, workSeenWithinMs)).filter(({ roles }) => roles.includes("work"))
  if (working.length === 0) return
  const who = working.map(({ host, pid }) => `${host}:${pid}`).join(", ")
  throw new IndexerError(
    "STILL_RUNNING",
    `${who} derive${working.length === 1 ? "s" : ""} ${name}: stop every process with the role work first (one that was ` +
      `killed is forgotten after ${workSeenWithinMs / 1_000} s), and start them again afterwards. The embedded database ` +
      "ends with its process: run `tidemark start --roles ingest` meanwhile.",
  )
}
