// Derives one claimed range for a group of workers. What happens to the leases of those that fail is the runner's. Uses a second
// connection to read raw.

import type { GroupClaimRequest } from "../coordination/lease-store.js"
import type { LeasedRangeRunner, RangeOutcome } from "../coordination/leased-range-runner.js"
import type { SqlConnection } from "../postgres/sql-connection.js"
import type { RangePartitions } from "../raw/range-partitions.js"
import { type DeriveGroupDeps, type DeriveResult, deriveGroup } from "./derive-group.js"
import type { EmittedRows } from "./derived-store.js"

export interface RangeDeriverOptions
  extends Omit<DeriveGroupDeps<SqlConnection, EmittedRows>, "leases" | "sinks" | "foldMsPerBlock"> {
  readonly runner: LeasedRangeRunner
  readonly partitions: Pick<RangePartitions, "ensure">
}

export type DeriveTurn = Pick<GroupClaimRequest, "members" | "regions" | "maxBlocks" | "ttlMs" | "order">

export type DeriveOutcome = RangeOutcome<DeriveResult>

export class RangeDeriver {
  readonly runner: LeasedRangeRunner
  private readonly options: RangeDeriverOptions
  private readonly sinks: ReadonlyMap<string, EmittedRows>
  private foldMsPerBlock = 0

  constructor(options: RangeDeriverOptions) {
    this.runner = options.runner
    this.options = options
    const { registry, store } = options
    this.sinks = new Map(registry.workers.map(({ name }) => [name, store.createSink(name)]))
  }

  deriveNext(turn: DeriveTurn, signal: AbortSignal): Promise<DeriveOutcome> {
    return this.runner.run<DeriveResult>(
      async (connection) => ({
        claim: turn,
        work: async ({ range, claimed, leases, signal }) => {
          await this.options.partitions.ensure(connection, { range })
          const result = await deriveGroup(
            { ...this.options, leases, sinks: this.sinks, foldMsPerBlock: this.foldMsPerBlock },
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
