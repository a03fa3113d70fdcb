// Where history and the head lie. Heights from finality up belong to the head follower, in order. Heights below it
// belong to parallel claims; a hole above `liveFrom`, left by an outage, comes before older history. Pure.

import type { LaneOptions } from "../coordination/lane-options.js"
import type { BlockRange } from "../domain/block-range.js"
import type { ChainState } from "./chain-state.js"

type Heights = Pick<ChainState, "startHeight" | "liveFrom" | "headHeight" | "finalizedHeight">

type RegionOptions = Pick<LaneOptions<never>, "endBlock">

export function historyRegions(state: Heights, { endBlock }: RegionOptions): BlockRange[] {
  const { startHeight, liveFrom, finalizedHeight } = state
  // Finality is unknown until a process has followed the head.
  if (finalizedHeight === null || liveFrom === null) return []
  const end = clip(finalizedHeight, endBlock)
  return [
    { from: Math.min(liveFrom, end), to: end },
    { from: startHeight, to: Math.min(liveFrom, end) },
  ].filter((region) => region.from < region.to)
}

export function liveRegion(state: Heights, { endBlock }: RegionOptions): BlockRange | undefined {
  const { startHeight, headHeight, finalizedHeight } = state
  if (headHeight === null || finalizedHeight === null) return undefined
  const region = { from: Math.max(finalizedHeight, startHeight), to: clip(headHeight + 1, endBlock) }
  return region.from < region.to ? region : undefined
}

/** The smaller of an exclusive end and the end that `endBlock` sets. */
const clip = (end: number, endBlock: number | undefined): number =>
  endBlock === undefined ? end : Math.min(end, endBlock + 1)
