// The options of every service that claims ranges: history lanes, the head follower, work lanes and the live deriver.

import type { LoopOptions } from "../platform/looping-service.js"

export interface LaneOptions<Outcome> extends Required<Omit<LoopOptions, "name" | "maxBackoffMs">> {
  /** Inclusive; nothing above is claimed. */
  readonly endBlock: number | undefined
  readonly leaseTtlMs: number
  readonly mayClaim: () => boolean
  readonly onOutcome: (outcome: Outcome) => void
}
