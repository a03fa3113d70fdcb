// Stops a process at a chosen moment of a transaction. The moment is met by holding a lock that the transaction is about to
// need: once its backend waits for it, the process is stopped, and only then is the lock given free. The backend goes on
// to the next answer that nobody will read.

import type { TidemarkProcess } from "../../test/support/tidemark-process.js"
import type { Stage } from "./stage.js"

export type TransactionMoment =
  | "in mid-COPY"
  | "after its last check"
  | "while it claims"
  | "in mid-derive"
  | "in mid-fold"

/** What holds the moment still, and the statement that is seen waiting for it. */
const locks: Record<TransactionMoment, { readonly sql: string; readonly waiting: string }> = {
  "in mid-COPY": { sql: "lock table raw.block_lookup in share mode", waiting: "copy %block_lookup%" },
  "after its last check": { sql: "select from raw.coverage for update", waiting: "%raw%coverage%for update" },
  "while it claims": {
    sql: "lock table raw.worker_leases in share row exclusive mode",
    waiting: "%insert into%worker_leases%",
  },
  "in mid-derive": { sql: "lock table app.evm_logs in share mode", waiting: "copy %evm_logs%" },
  "in mid-fold": { sql: "lock table app.ft_holdings in share mode", waiting: "%ft_holdings%" },
}

export interface StopOptions {
  /** The only process that runs. */
  readonly worker: TidemarkProcess
  readonly moment: TransactionMoment
  /** Gives it work. */
  readonly moveHead: () => void
  readonly head: number
}

export interface StopFacts {
  readonly successor: TidemarkProcess
  /** From when the successor ran to the last block of history. */
  readonly takenOverMs: number
}

/** From now on no transaction gets past the moment, until the returned function is called. */
export async function hold(stage: Stage, moment: TransactionMoment): Promise<() => Promise<void>> {
  const holder = await stage.probe.session()
  await holder.query("begin")
  await holder.query(locks[moment].sql)
  return () => holder.end()
}

/** Resolves when a transaction has come to the moment and waits there, with what lets it go on. */
export async function holdAt(
  stage: Stage,
  { moment, moveHead }: Pick<StopOptions, "moment" | "moveHead">,
): Promise<() => Promise<void>> {
  const release = await hold(stage, moment)
  try {
    moveHead()
    await stage.until(async () => (await waiters(stage, locks[moment].waiting)) > 0, {
      ...{ what: `a transaction waits ${moment}`, everyMs: 5 },
    })
    return release
  } catch (error) {
    await release()
    throw error
  }
}

export async function stopInTransaction(stage: Stage, options: StopOptions): Promise<StopFacts> {
  const { worker, moment, moveHead, head } = options
  const release = await holdAt(stage, { moment, moveHead })
  worker.kill("SIGSTOP")
  await release()
  const successor = stage.start()
  await successor.line(({ msg }) => msg.startsWith("running"))
  const began = performance.now()
  await stage.until(async () => (await stage.progress()) >= head, {
    what: `history up to ${head} after a stop ${moment}`,
  })
  const takenOverMs = Math.round(performance.now() - began)
  return { successor, takenOverMs }
}

async function waiters(stage: Stage, statement: string): Promise<number> {
  const [row] = await stage.probe.rows<{ n: string }>(
    `select count(*) as n from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query ilike $1`,
    [statement],
  )
  return Number(row!.n)
}
