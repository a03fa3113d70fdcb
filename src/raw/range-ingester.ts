// Fetches and stores one claimed range of raw blocks. The runner decides what happens to a range that fails.

import type { GroupClaimRequest } from "../coordination/lease-store.js"
import type { LeasedRangeRunner, RangeOutcome } from "../coordination/leased-range-runner.js"
import { rawIngester } from "../coordination/raw-ingester.js"
import type { BlockRange } from "../domain/block-range.js"
import type { RangePartitions } from "../partitions/range-partitions.js"
import { type ChainState, readChainState } from "./chain-state.js"
import { parentIsUnknown } from "./check-parent.js"
import { type IngestRangeDeps, type IngestRangeOptions, ingestRange } from "./ingest-range.js"
import type { RangeTotals } from "./range-tally.js"

export interface RangeIngesterOptions extends Omit<IngestRangeDeps, "commits"> {
  readonly runner: LeasedRangeRunner
  readonly partitions: Pick<RangePartitions, "ensure">
  /** Partitions wholly below the live stretch get their indexes once they are covered. */
  readonly deferIndexes: boolean
}

export interface IngestRequest
  extends Pick<GroupClaimRequest, "maxBlocks" | "ttlMs" | "order" | "inOrder">,
    Pick<IngestRangeOptions, "check"> {
  readonly regions: (state: ChainState) => readonly BlockRange[]
  /** Its requests go before those of history. */
  readonly urgent?: boolean
}

export type IngestOutcome =
  /** early: the head is not known yet, so work may appear at any moment. */
  { readonly kind: "idle"; readonly early: boolean } | Exclude<RangeOutcome<RangeTotals>, { kind: "idle" }>

export class RangeIngester {
  readonly runner: LeasedRangeRunner

  constructor(private readonly options: RangeIngesterOptions) {
    this.runner = options.runner
  }

  async ingestNext(request: IngestRequest, signal: AbortSignal): Promise<IngestOutcome> {
    const { partitions, deferIndexes } = this.options
    const { regions: regionsOf, urgent, check, ...claim } = request
    let early = false
    const outcome = await this.runner.run<RangeTotals>(async (connection) => {
      const state = await readChainState(connection)
      early = state?.finalizedHeight == null
      const regions = state && !state.halted ? regionsOf(state) : []
      if (!state || regions.length === 0) return undefined
      early = false
      return {
        claim: { ...claim, regions, members: [{ worker: rawIngester, dependencies: [] }] },
        work: async ({ range, claimed: [lease], commits, signal }) => {
          const deferIndexesBelow = deferIndexes ? (state.liveFrom ?? 0) : 0
          await partitions.ensure(connection, { range, deferIndexesBelow })
          const withParent = await parentIsUnknown(connection, range)
          const fetch = { signal, urgent, finalTo: state.finalizedHeight ?? undefined }
          const options = { lease: lease!, fetch, withParent, check }
          return { result: await ingestRange({ ...this.options, commits }, options) }
        },
      }
    }, signal)
    return outcome.kind === "idle" ? { ...outcome, early } : outcome
  }
}
