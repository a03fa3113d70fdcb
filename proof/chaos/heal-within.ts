// How long work may take once nothing stands in its way: a minute, as I9 has it, and what is known to be left to do. Measured
// generously: these bounds are for what never comes back, and not for how busy the machine is.

/** A block and its receipts, and some of it a second time, after a lease was lost. */
const callsPerBlock = 3
/** To store and derive one, at load averages of 30; 4 to 40 were seen. */
const msPerBlock = 100

export interface LeftToDo {
  readonly blocks: number
  /** The limit of requests of one process, which may be the only one that is left. */
  readonly callsPerSecond?: number
  /** Whatever else takes a time of its own: tries that have to fail, blocks of an unusual size. */
  readonly otherMs?: number
}

export const healWithinMs = ({ blocks, callsPerSecond = Infinity, otherMs = 0 }: LeftToDo): number =>
  60_000 + blocks * (msPerBlock + (callsPerBlock * 1_000) / callsPerSecond) + otherMs
