// How often everybody looks and how long a lease lasts. Virtual seconds cost nothing, looks that find nothing do: so these are as long as
// they can be beside the lease times, which are short.

export interface Timing {
  readonly leaseTtlMs: number
  readonly headLeaseTtlMs: number
  readonly reapMs: number
  readonly finishMs: number
  readonly headPollMs: number
  readonly takeOverMs: number
  readonly confirmMs: number
  readonly livePollMs: number
  readonly workIdleMs: number
  readonly historyIdleMs: number
  /** Of a range of history. A lane does not know at first how big blocks are, so little makes its first ranges short. */
  readonly targetBytes: number
}

export const usualTiming: Timing = {
  leaseTtlMs: 1_000,
  headLeaseTtlMs: 900,
  reapMs: 2_500,
  finishMs: 2_500,
  headPollMs: 600,
  takeOverMs: 1_200,
  confirmMs: 200,
  livePollMs: 1_300,
  workIdleMs: 3_200,
  historyIdleMs: 4_000,
  targetBytes: 1 << 24,
}
