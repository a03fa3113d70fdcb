// Unfinished leases on removed heights: those inside are deleted, DEAD ones too; one that reaches beyond is cut there, and the
// rest is due again. Its token ends either way, and its holder's connection is closed: the holder has read outdated data.

import { subtract } from "../../domain/range-set.js"
import { printMultirange } from "../../postgres/multirange.js"
import { heightFrom } from "../../postgres/postgres-error.js"
import type { Queryable } from "../../postgres/transaction.js"
import type { TakenBack } from "../coverage-ledger.js"
import type { LeaseDeps } from "./coordination-tables.js"
import { endHolders, type HeldBackend } from "./end-holders.js"
import { insertParts } from "./insert-parts.js"

interface LeaseRow extends HeldBackend {
  id: string
  from_height: string
  to_height: string
}

export async function cutLeases(
  { tables, random }: LeaseDeps,
  tx: Queryable,
  { workers, removed }: TakenBack,
): Promise<number> {
  const { rows } = await tx.query<LeaseRow>(
    `select id, from_height, to_height, case when status = 'ACTIVE' then backend_pid end as backend_pid,
       backend_start::text as backend_start
     from ${tables.leases}
     where worker_type = any ($1) and status <> 'COMPLETED' and int8range(from_height, to_height) && $2::int8multirange
     order by id for update`,
    [workers, printMultirange(removed)],
  )
  for (const row of rows) {
    const range = { from: heightFrom(row.from_height), to: heightFrom(row.to_height) }
    const [first, ...others] = subtract([range], removed)
    if (!first) {
      await tx.query(`delete from ${tables.leases} where id = $1`, [row.id])
      continue
    }
    await tx.query(
      `update ${tables.leases}
       set status = 'FAILED', epoch = $2, from_height = $3, to_height = $4, attempt = 0, lease_expires_at = null,
           next_attempt_at = clock_timestamp()
       where id = $1`,
      [row.id, random.uuid(), first.from, first.to],
    )
    await insertParts({ tables, random }, tx, { id: row.id, parts: others, attempt: 0 })
  }
  await endHolders(tables, tx, rows)
  return rows.length
}
