// Whoever was told of blocks is told when they are taken back: each rollback of app is in its outbox, as it was, and nothing else is.

import type { StoreProbe } from "../../test/support/store-probe.js"

interface Mismatch {
  /** Null where the other side knows something of which this one does not. */
  readonly rollback: string | null
  readonly told: string | null
}

export function untoldRollbacks(app: Pick<StoreProbe, "rows">): Promise<Mismatch[]> {
  return app.rows<Mismatch>(
    `with rollback as (
       select id, format('%s: epoch %s, [%s,%s)', id, epoch, lower(removed), upper(removed)) as text from app.rollbacks where not isempty(removed)
     ), told as (
       select id, format('%s: epoch %s, [%s,%s)', id, epoch, payload ->> 'removed_from', payload ->> 'removed_to') as text
       from app.outbox where kind = 'rollback'
     )
     select rollback.text as rollback, told.text as told from rollback full join told using (id)
     where rollback.text is distinct from told.text`,
  )
}
