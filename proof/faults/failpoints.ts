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
  /** What brings a process there: a store that is not made yet, new blocks, a branch that lost, a lease whose holder is gone. */
  readonly by: "new store" | "blocks" | "reorganisation" | "lost lease"
}

const commit = "^commit$"
const claimed = "insert into raw.worker_leases .*'active'"
const stored = "update raw.coverage set heights = heights \\+"
const derived = "update app.coverage set heights = heights \\+ int8multirange"
const tookBack = "insert into app.rollbacks"

export const failpoints: readonly Failpoint[] = [
  { name: "in a migration", moment: "sent", statement: "create table raw.worker_leases", by: "new store" },
  {
    name: "while worker tables are made",
    moment: "sent",
    statement: "create table app.ft_holdings",
    by: "new store",
  },
  { name: "while partitions are made", moment: "sent", statement: "attach partition", by: "new store" },
  {
    name: "head recorded",
    moment: "after",
    statement: "update raw.chain_state set head_height",
    by: "blocks",
  },
  {
    name: "before the commit of a claim",
    moment: "before",
    statement: commit,
    within: claimed,
    by: "blocks",
  },
  { name: "claimed", moment: "after", statement: commit, within: claimed, by: "blocks" },
  { name: "mid-COPY of raw rows", moment: "sent", statement: "copy raw.events", by: "blocks" },
  {
    name: "in the reaper",
    moment: "before",
    statement: commit,
    within: "the holder stopped renewing",
    by: "lost lease",
  },
  {
    name: "before the commit of raw rows",
    moment: "before",
    statement: commit,
    within: stored,
    by: "blocks",
  },
  {
    name: "raw rows committed, answer unread",
    moment: "sent",
    statement: commit,
    within: stored,
    by: "blocks",
  },
  {
    name: "raw rows committed, not announced",
    moment: "after",
    statement: commit,
    within: stored,
    by: "blocks",
  },
  {
    name: "while leases are renewed",
    moment: "sent",
    statement: "set lease_expires_at = clock_timestamp\\(\\)",
    by: "blocks",
  },
  {
    ...{ name: "while app is told of raw's coverage", moment: "before", statement: commit, by: "blocks" },
    within: "update app.coverage set heights = heights \\+ \\$2",
  },
  { name: "mid-COPY of derived rows", moment: "sent", statement: "copy app\\.", by: "blocks" },
  { name: "mid-fold", moment: "sent", statement: "insert into app.ft_holdings", by: "blocks" },
  {
    name: "before the commit of derived rows",
    moment: "before",
    statement: commit,
    within: derived,
    by: "blocks",
  },
  {
    name: "derived rows committed, answer unread",
    moment: "sent",
    statement: commit,
    within: derived,
    by: "blocks",
  },
  { name: "rollback intended", moment: "after", statement: "set intent_id = \\$1", by: "reorganisation" },
  {
    name: "before app's step of a rollback is committed",
    moment: "before",
    statement: commit,
    within: tookBack,
    by: "reorganisation",
  },
  {
    name: "between the two steps of a rollback",
    moment: "after",
    statement: commit,
    within: tookBack,
    by: "reorganisation",
  },
  {
    name: "in raw's step of a rollback",
    moment: "sent",
    statement: "delete from raw.transactions",
    by: "reorganisation",
  },
].map((failpoint) => failpoint as Failpoint)

const preload = pathToFileURL(join(import.meta.dirname, "preload", "die-at-statement.mjs")).href

/** What a process is started with that is to die there, the `hit`-th time it comes by. */
export const dieAt = (failpoint: Failpoint, { hit }: { hit: number }): Record<string, string> => ({
  NODE_OPTIONS: `--import=${preload}`,
  FAILPOINT: JSON.stringify({ ...failpoint, hit }),
})

/** What the process says on standard error as it dies. */
export const lastWordsAt = ({ name }: Failpoint): string => `failpoint ${name}`
