// Deletes the oldest entries of app.outbox, by age and by number, and records up to where: a client that has read no
// further is told that it missed something. Any number of processes may do it at once.

import type { Database } from "../postgres/database.js"

export interface OutboxRetention {
  readonly keepHours: number
  readonly keepEntries: number
}

/** Of one statement: it must not hold the counter, and with it a rollback, for long. */
const entriesAtOnce = 5_000
const lockTimeoutMs = 1_000

export async function pruneOutbox(app: Database, { keepHours, keepEntries }: OutboxRetention): Promise<void> {
  for (;;) {
    const pruned = await app.transaction(
      async (tx) => (await tx.query(pruneSql, [entriesAtOnce, keepEntries, keepHours])).rowCount ?? 0,
      { lockTimeoutMs },
    )
    if (pruned === 0) return
  }
}

/** The oldest only, so that what is left has no gap, whatever the clocks that dated the entries. */
const pruneSql = `
with state as (select last_sequence from app.outbox_state for update),
oldest as (select sequence, created_at from app.outbox order by sequence limit $1),
last as (
  select max(sequence) as sequence from oldest cross join state
  where oldest.sequence <= state.last_sequence - $2::int8 or created_at < clock_timestamp() - make_interval(hours => $3)),
pruned as (delete from app.outbox where sequence <= (select sequence from last) returning sequence)
update app.outbox_state set pruned_sequence = greatest(pruned_sequence, (select max(sequence) from pruned))
where exists (select from pruned)`
