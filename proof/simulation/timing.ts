// Poll intervals and lease times. Virtual seconds cost nothing, but polls that find nothing do: the intervals are as
// long as the short lease times allow.

export const usualTiming = {
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
  /** Of a range of history. A lane does not know the size of blocks at first, so a low target makes short ranges. */
  targetBytes: 1 << 24,
}

export type Timing = Readonly<typeof usualTiming>
