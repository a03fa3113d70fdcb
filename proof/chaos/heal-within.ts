// How long work may take once nothing stands in its way: what is known to be left to do, and more than the busiest machine
// needs to notice that it can go on. These bounds are for what never comes back, and not for how busy the machine is.

import { patienceMs } from "../../test/support/wait-until.js"

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
  patienceMs + blocks * (msPerBlock + (callsPerBlock * 1_000) / callsPerSecond) + otherMs
