// Fetches and stores one claimed range of raw blocks. What happens to the range when that fails is the runner's.

import type { LeasedRangeRunner, RangeOutcome } from "../coordination/leased-range-runner.js"
import { rawIngester } from "../coordination/raw-ingester.js"
import type { BlockRange } from "../domain/block-range.js"
import type { Clock } from "../platform/clock.js"
import type { Turns } from "../platform/turns.js"
import type { SqlConnection } from "../postgres/sql-connection.js"
import type { BlockSource } from "../source/block-source.js"
import type { BlockWriter } from "./block-writer.js"
import { type ChainState, readChainState } from "./chain-state.js"
import { parentIsUnknown } from "./check-parent.js"
import { ingestRange } from "./ingest-range.js"
import type { RangePartitions } from "./range-partitions.js"
import type { RangeTotals } from "./range-tally.js"

export interface RangeIngesterOptions {
  readonly runner: LeasedRangeRunner
  readonly source: BlockSource
  readonly writer: BlockWriter
  readonly partitions: Pick<RangePartitions, "ensure">
  readonly clock: Clock
  /** Shared by those who do not copy at the same time. */
  readonly turns?: Turns | undefined
  readonly flushBytes: number
  /** Partitions wholly below the live stretch get their indexes once they are covered. */
  readonly deferIndexes: boolean
}

export interface IngestTurn {
  readonly regions: (state: ChainState) => readonly BlockRange[]
  readonly maxBlocks: number
  readonly ttlMs: number
  readonly order: "oldest" | "newest"
  readonly inOrder: boolean
  /** Its requests go before those of history. */
  readonly urgent?: boolean
  /** What else has to hold at the commit, under the locks. */
  readonly check?: ((tx: SqlConnection) => Promise<void>) | undefined
}

export type IngestOutcome =
  /** early: the head is not known yet, so it may have work any moment. */
  { readonly kind: "idle"; readonly early: boolean } | Exclude<RangeOutcome<RangeTotals>, { kind: "idle" }>

export class RangeIngester {
  readonly runner: LeasedRangeRunner
  private readonly options: RangeIngesterOptions

  constructor(options: RangeIngesterOptions) {
    this.runner = options.runner
    this.options = options
  }

  async ingestNext(turn: IngestTurn, signal: AbortSignal): Promise<IngestOutcome> {
    const { source, writer, partitions, clock, turns, flushBytes, deferIndexes } = this.options
    const { regions: regionsOf, urgent, check, ...claim } = turn
    let early = false
    const outcome = await this.runner.run<RangeTotals>(async (connection) => {
      const state = await readChainState(connection)
      early = state?.finalizedHeight == null
      const regions = state && !state.halted ? regionsOf(state) : []
      if (!state || regions.length === 0) return undefined
      early = false
      return {
        claim: { ...claim, regions, members: [{ workerType: rawIngester, dependencies: [] }] },
        work: async ({ range, claimed: [lease], leases, signal }) => {
          const deferIndexesBelow = deferIndexes ? (state.liveFrom ?? 0) : 0
          await partitions.ensure(connection, { range, deferIndexesBelow })
          const withParent = await parentIsUnknown(connection, range)
          const fetch = { signal, urgent, finalTo: state.finalizedHeight ?? undefined }
          const result = await ingestRange(
            { source, leases, writer, clock, flushBytes, turns },
            { lease: lease!, fetch, withParent, check },
          )
          return { result }
        },
      }
    }, signal)
    return outcome.kind === "idle" ? { ...outcome, early } : outcome
  }
}
