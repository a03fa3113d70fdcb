// Derives one claimed range for a group of workers. The runner releases the leases of those that fail. Reads raw over a
// second connection.

import type { GroupClaimRequest } from "../coordination/lease-store.js"
import type { LeasedRangeRunner, RangeOutcome } from "../coordination/leased-range-runner.js"
import { WorkerFault } from "../coordination/worker-fault.js"
import type { RangePartitions } from "../partitions/range-partitions.js"
import { describeError } from "../platform/errors.js"
import type { SqlConnection } from "../postgres/sql-connection.js"
import { type DeriveGroupDeps, type DeriveResult, deriveGroup } from "./derive-group.js"
import type { EmittedRows } from "./derived-store.js"

export interface RangeDeriverOptions
  extends Omit<DeriveGroupDeps<SqlConnection, EmittedRows>, "commits" | "sinks" | "foldMsPerBlock"> {
  readonly runner: LeasedRangeRunner
  readonly partitions: Pick<RangePartitions, "ensure">
}

export type DeriveClaim = Pick<GroupClaimRequest, "members" | "regions" | "maxBlocks" | "ttlMs" | "order">

export type DeriveOutcome = RangeOutcome<DeriveResult>

export class RangeDeriver {
  readonly runner: LeasedRangeRunner
  private readonly sinks: ReadonlyMap<string, EmittedRows>
  private foldMsPerBlock = 0

  constructor(private readonly options: RangeDeriverOptions) {
    this.runner = options.runner
    const { registry, store } = options
    this.sinks = new Map(registry.workers.map(({ name }) => [name, store.createSink(name)]))
  }

  deriveNext(claim: DeriveClaim, signal: AbortSignal): Promise<DeriveOutcome> {
    return this.runner.run<DeriveResult>(
      async (connection) => ({
        claim,
        work: async ({ range, claimed, commits, signal }) => {
          await this.options.partitions.ensure(connection, { range })
          const result = await deriveGroup(
            { ...this.options, commits, sinks: this.sinks, foldMsPerBlock: this.foldMsPerBlock },
            { leases: claimed, signal },
          )
          if (result.totals.blocks > 0) this.foldMsPerBlock = result.totals.foldMs / result.totals.blocks
          return { result, dropped: result.dropped }
        },
      }),
      signal,
    )
  }
}

/**
 * The workers at fault, for the log. A bug is on record already. Throws an error that is no worker's fault: the next range
 * would meet it too.
 */
export function faultsOf(outcome: DeriveOutcome) {
  const faults: WorkerFault[] = []
  if (outcome.kind === "done") for (const { fault } of outcome.result.dropped) if (fault) faults.push(fault)
  if (outcome.kind === "failed" && outcome.cause !== "shutdown" && outcome.cause !== "bug") {
    if (!(outcome.error instanceof WorkerFault)) throw outcome.error
    faults.push(outcome.error)
  }
  return faults.map(({ worker, height, cause }) => ({ worker, height, error: describeError(cause) }))
}
