// What every process needs for a chain's coordination: the leases of both databases and their reapers, the service that
// finishes interrupted rollbacks, and the one that copies raw's coverage to app.

import type { FailurePolicy } from "../coordination/after-failure.js"
import { LeaseReaper } from "../coordination/lease-reaper.js"
import type { ReapOutcome } from "../coordination/lease-store.js"
import { PostgresLeaseStore } from "../coordination/postgres/postgres-lease-store.js"
import { type ErrorSchema, recordError } from "../indexing-errors/record-error.js"
import { IndexerError } from "../platform/errors.js"
import type { ServiceDeps } from "../platform/service.js"
import type { Queryable } from "../postgres/transaction.js"
import type { RollbackDeps } from "../rollback/finish-rollback.js"
import { RollbackFinisher } from "../rollback/rollback-finisher.js"
import { RawCoverageCopier } from "../workers/raw-coverage-copier.js"

export interface Coordination {
  readonly rawLeases: PostgresLeaseStore<Queryable>
  readonly appLeases: PostgresLeaseStore<Queryable>
  readonly reapers: readonly LeaseReaper[]
  /** Run once before anything is stored: a restored database must be aligned first. */
  readonly finisher: RollbackFinisher
  readonly copier: RawCoverageCopier
}

export function composeCoordination(
  deps: RollbackDeps & ServiceDeps,
  options: {
    readonly policy: FailurePolicy
    readonly reapIntervalMs: number
    readonly finishIntervalMs: number
    readonly copyIntervalMs: number
    readonly onReaped?: (outcome: ReapOutcome) => void
  },
): Coordination {
  const { raw, app, random } = deps
  const { policy, onReaped, reapIntervalMs: intervalMs } = options
  const rawLeases = new PostgresLeaseStore({ executor: raw, schema: "raw", random, policy })
  const appLeases = new PostgresLeaseStore({ executor: app, schema: "app", random, policy })
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
  return {
    rawLeases,
    appLeases,
    reapers: [reaper("raw", rawLeases), reaper("app", appLeases)],
    finisher: new RollbackFinisher({ ...deps, intervalMs: options.finishIntervalMs }),
    copier: new RawCoverageCopier({ ...deps, intervalMs: options.copyIntervalMs }),
  }
}
