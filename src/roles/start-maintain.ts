// The role `maintain` of one chain: the nightly check of the store, the outbox, the history of its status, and
// the end of old errors.

import { postgresElections } from "../coordination/postgres/postgres-elections.js"
import { ErrorPruner } from "../indexing-errors/error-pruner.js"
import type { Service } from "../platform/service.js"
import { SeriesWriter } from "../status/series-writer.js"
import { Reconciler } from "../verify/reconciler.js"
import { OutboxWriter } from "../workers/outbox-writer.js"
import type { BorrowedConnections } from "./borrowed-connections.js"
import type { OpenChain } from "./open-chain.js"

/** How often to check whether the nightly run is due. */
const reconcileCheckMs = 60_000
/** A check reads much before it answers. */
const longestStatementMs = 3_600_000
const outboxMs = 500
const errorsMs = 3_600_000

export function prepareMaintain(open: OpenChain, borrowed: BorrowedConnections): readonly Service[] {
  const { raw, app, clock, logger, holder, name, databases, metrics, settings } = open
  const answerTimeoutMs = settings.dbTimeoutMs
  const reconciler = new Reconciler({
    family: open.family,
    exceptions: open.family.storeExceptions(open.identity.chainId, open.chain),
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
  const outbox = new OutboxWriter({
    ...{ raw, app, ledger: open.ledgers.app, elections: postgresElections, clock, logger },
    ...{ intervalMs: outboxMs, keepHours: settings.outboxKeepHours, keepEntries: settings.outboxKeepEntries },
  })
  const errors = new ErrorPruner({
    ...{ raw, app, clock, logger, intervalMs: errorsMs },
    ...{ keepDays: settings.errorsKeepDays, keepEntries: settings.errorsKeepEntries },
  })
  const series = new SeriesWriter({ raw, app, elections: postgresElections, clock, logger })
  return [reconciler, outbox, errors, series]
}
