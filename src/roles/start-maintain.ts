// The role `maintain` of one chain: the nightly check of the store.

import { postgresElections } from "../coordination/postgres/postgres-elections.js"
import { Reconciler } from "../verify/reconciler.js"
import type { BorrowedConnections } from "./borrowed-connections.js"
import type { OpenChain } from "./open-chain.js"

/** How often to check whether the nightly run is due. */
const reconcileCheckMs = 60_000
/** A check reads much before it answers. */
const longestStatementMs = 3_600_000

export function prepareMaintain(open: OpenChain, borrowed: BorrowedConnections): Reconciler {
  const { raw, app, clock, logger, holder, name, databases, metrics } = open
  const answerTimeoutMs = open.settings.dbTimeoutMs
  return new Reconciler({
    family: open.family,
    raw,
    app,
    ledgers: open.ledgers,
    elections: postgresElections,
    connect: async () => {
      const applicationName = `tidemark ${name} reconciler`
      const urls = [...new Set([databases.rawUrl, databases.appUrl])]
      const [raw, app = raw] = await borrowed.open(
        urls.map((url) => ({ url, applicationName, answerTimeoutMs, longestStatementMs })),
      )
      return { raw: raw!, app: app! }
    },
    holder,
    clock,
    logger,
    intervalMs: reconcileCheckMs,
    onChecked: (left) => {
      for (const [check, count] of left) metrics.gauges.damage.set({ chain: name, check }, count)
    },
  })
}
