// Creates the runner of leased ranges for raw or app.

import type { FailurePolicy } from "../coordination/after-failure.js"
import { type OnDead, reportDead } from "../coordination/dead-block.js"
import { LeasedRangeRunner, type LeasedRangeRunnerOptions } from "../coordination/leased-range-runner.js"
import { PostgresLeaseStore } from "../coordination/postgres/postgres-lease-store.js"
import { recordCharges } from "../indexing-errors/record-error.js"
import type { RuntimeDeps } from "../platform/service.js"

export interface RunnerDeps extends RuntimeDeps, Pick<LeasedRangeRunnerOptions, "connect" | "keeper" | "builtIn"> {
  /** Counts a block that was given up, beside its line in the log. */
  readonly onDead?: OnDead
}

export interface RunnerSettings extends Pick<LeasedRangeRunnerOptions, "holder" | "rangeSize"> {
  /** Direct connections only: behind a pooler a backend is not the holder's own. */
  readonly recordBackend: boolean
  readonly policy: FailurePolicy
}

export function createRunner(schema: "raw" | "app", deps: RunnerDeps, settings: RunnerSettings): LeasedRangeRunner {
  const { random } = deps
  const onDead = reportDead(deps.logger, deps.onDead)
  const { policy, recordBackend } = settings
  return new LeasedRangeRunner({
    ...deps,
    ...settings,
    leasesOn: (executor) => {
      const backend = recordBackend ? executor.backend : undefined
      return new PostgresLeaseStore({ executor, schema, random, policy, backend, onDead })
    },
    // The head follower reads the refused ranges of raw.
    uncharged: schema === "raw" ? "noted" : "withdrawn",
    onCharged: recordCharges(schema),
  })
}
