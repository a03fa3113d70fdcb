// The moments at which a process is killed on purpose, by the statement that it sends there. Quotes are left out of the patterns, and
// spaces are single.

import { join } from "node:path"
import { pathToFileURL } from "node:url"

export interface Failpoint {
  readonly name: string
  /** before: the server never sees the statement. sent: it does, and nobody reads its answer. after: the answer was read. */
  readonly moment: "before" | "sent" | "after"
  readonly statement: string
  /** Only in a transaction that has sent this before. */
  readonly within?: string
  /**
   * What brings a process there: a store that is not made yet, new blocks, blocks that cannot be stored for now, a branch
   * that lost, a lease whose holder is gone.
   */
  readonly by: "new store" | "blocks" | "held work" | "reorganisation" | "lost lease"
}

const commit = "^commit$"
const claimed = "insert into raw.worker_leases .*'active'"
const stored = "update raw.coverage set heights = heights \\+"
const derived = "update app.coverage set heights = heights \\+ int8multirange"
const copied = "update app.coverage set heights = heights \\+ \\$2"
const tookBack = "insert into app.rollbacks"

type Row = readonly [
  name: string,
  moment: Failpoint["moment"],
  statement: string,
  by: Failpoint["by"],
  within?: string,
]

// In this order: each finds what the ones before it left.
const rows: readonly Row[] = [
  ["in a migration", "sent", "create table raw.worker_leases", "new store"],
  ["while worker tables are made", "sent", "create table app.ft_holdings", "new store"],
  ["while partitions are made", "sent", "attach partition", "new store"],
  ["head recorded", "after", "update raw.chain_state set head_height", "blocks"],
  ["before the commit of a claim", "before", commit, "blocks", claimed],
  ["claimed", "after", commit, "blocks", claimed],
  ["mid-COPY of raw rows", "sent", "copy raw.events", "blocks"],
  ["in the reaper", "before", commit, "lost lease", "the holder stopped renewing"],
  ["before the commit of raw rows", "before", commit, "blocks", stored],
  ["raw rows committed, answer unread", "sent", commit, "blocks", stored],
  ["raw rows committed, not announced", "after", commit, "blocks", stored],
  ["while leases are renewed", "sent", "set lease_expires_at = clock_timestamp\\(\\)", "held work"],
  ["while app is told of raw's coverage", "before", commit, "blocks", copied],
  ["mid-COPY of derived rows", "sent", "copy app\\.", "blocks"],
  ["mid-fold", "sent", "insert into app.ft_holdings", "blocks"],
  ["before the commit of derived rows", "before", commit, "blocks", derived],
  ["derived rows committed, answer unread", "sent", commit, "blocks", derived],
  ["rollback intended", "after", "set intent_id = \\$1", "reorganisation"],
  ["before app's step of a rollback is committed", "before", commit, "reorganisation", tookBack],
  ["between the two steps of a rollback", "after", commit, "reorganisation", tookBack],
  ["in raw's step of a rollback", "sent", "delete from raw.transactions", "reorganisation"],
]

export const failpoints: readonly Failpoint[] = rows.map(([name, moment, statement, by, within]) => ({
  ...{ name, moment, statement, by },
  ...(within === undefined ? {} : { within }),
}))

const preload = pathToFileURL(join(import.meta.dirname, "preload", "die-at-statement.mjs")).href

/** What a process is started with that is to die there, the `hit`-th time it comes by. */
export const dieAt = (failpoint: Failpoint, { hit }: { hit: number }): Record<string, string> => ({
  NODE_OPTIONS: `--import=${preload}`,
  FAILPOINT: JSON.stringify({ ...failpoint, hit }),
})

/** What the process says on standard error as it dies. */
export const lastWordsAt = ({ name }: Failpoint): string => `failpoint ${name}`
