// How long work may take once nothing stands in its way: a minute, as I9 has it, and what the limit of requests makes of the blocks
// that are left where one process alone gets them.

/** A block and its receipts, and some of it a second time, after a lease was lost. */
const callsPerBlock = 3

export const healWithinMs = ({
  blocks,
  callsPerSecond,
}: {
  blocks: number
  callsPerSecond: number
}): number => 60_000 + (blocks * callsPerBlock * 1_000) / callsPerSecond
