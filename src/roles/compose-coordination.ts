// What a process that ingests or derives needs for a chain's coordination: the leases of both databases and their reapers,
// the service that finishes interrupted rollbacks, and the one that copies raw's coverage to app. The simulation runs the
// same parts on a model of the database.

import type { FailurePolicy } from "../coordination/after-failure.js"
import { type OnDead, reportDead } from "../coordination/dead-block.js"
import { LeaseReaper } from "../coordination/lease-reaper.js"
import type { ReapOutcome } from "../coordination/lease-store.js"
import { PostgresLeaseStore } from "../coordination/postgres/postgres-lease-store.js"
import { type ErrorSchema, recordError } from "../indexing-errors/record-error.js"
import { IndexerError } from "../platform/errors.js"
import type { Service, ServiceDeps } from "../platform/service.js"
import type { Queryable } from "../postgres/transaction.js"
import type { RollbackDeps } from "../rollback/rollback-deps.js"
import { RollbackFinisher } from "../rollback/rollback-finisher.js"
import { RawCoverageCopier, type RawCoverageCopierOptions } from "../workers/raw-coverage-copier.js"
import type { patience } from "./patience.js"

export interface Coordination {
  readonly rawLeases: PostgresLeaseStore<Queryable>
  readonly appLeases: PostgresLeaseStore<Queryable>
  readonly reapers: readonly LeaseReaper[]
  readonly copier: RawCoverageCopier
  /** Started by the caller, after `begin`. */
  readonly services: readonly Service[]
  /** Awaited before anything is stored: a restored database must be aligned first. */
  begin(): Promise<void>
}

export function composeCoordination(
  deps: RollbackDeps & ServiceDeps & { readonly patiently: ReturnType<typeof patience> },
  options: Pick<RawCoverageCopierOptions, "onCopied"> & {
    readonly ingests: boolean
    readonly policy: FailurePolicy
    readonly reapIntervalMs: number
    readonly finishIntervalMs: number
    readonly copyIntervalMs: number
    readonly onReaped?: (outcome: ReapOutcome) => void
    /** Counts a block that was given up, beside its line in the log. */
    readonly onDead?: OnDead
  },
): Coordination {
  const { raw, app, random, patiently } = deps
  const { policy, onReaped, onCopied, reapIntervalMs: intervalMs } = options
  const onDead = reportDead(deps.logger, options.onDead)
  const rawLeases = new PostgresLeaseStore({ executor: raw, schema: "raw", random, policy, onDead })
  const appLeases = new PostgresLeaseStore({ executor: app, schema: "app", random, policy, onDead })
  const reaper = (schema: ErrorSchema, leases: PostgresLeaseStore<Queryable>): LeaseReaper => {
    const recordDeaths = async (outcome: ReapOutcome): Promise<void> => {
      onReaped?.(outcome)
      for (const { worker, height } of outcome.dead) {
        const error = new IndexerError("LEASE_LOST", "the holder stopped renewing its lease")
        await recordError(deps[schema], schema, { worker, range: { from: height, to: height + 1 }, error })
      }
    }
    return new LeaseReaper({ ...deps, leases, intervalMs, onReaped: recordDeaths })
  }
  const reapers = [reaper("raw", rawLeases), reaper("app", appLeases)]
  const finisher = new RollbackFinisher({ ...deps, intervalMs: options.finishIntervalMs })
  const copier = new RawCoverageCopier({ ...deps, intervalMs: options.copyIntervalMs, onCopied })
  return {
    rawLeases,
    appLeases,
    reapers,
    copier,
    services: [...(options.ingests ? [finisher] : []), copier, ...reapers],
    begin: async () => {
      // First: the rollback that is finished here may wait for a client that stopped in the middle of a commit.
      for (const one of reapers) one.start()
      if (options.ingests) await patiently(() => finisher.runOnce(), "waiting for the database")
    },
  }
}
