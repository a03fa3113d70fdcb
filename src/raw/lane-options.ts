// The options of every service that claims ranges: history lanes, the head follower, work lanes and the live deriver.

import type { LoopOptions } from "../platform/looping-service.js"
import type { RegionOptions } from "./claim-regions.js"

export interface LaneOptions<Outcome> extends Required<Omit<LoopOptions, "name" | "maxBackoffMs">>, RegionOptions {
  readonly leaseTtlMs: number
  readonly mayClaim: () => boolean
  readonly onOutcome: (outcome: Outcome) => void
}
