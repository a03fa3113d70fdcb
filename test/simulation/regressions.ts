// Plans that once broke an invariant, shrunk. As plans and not as seeds: what a seed means changes when the generator does.

import type { Plan } from "./plan.js"
import type { Timing } from "./timing.js"

export interface Regression {
  /** What was wrong, as a fact that holds now. */
  readonly title: string
  readonly plan: Plan
}

/** As it was when these were found. */
const formerTiming: Timing = {
  leaseTtlMs: 2_000,
  headLeaseTtlMs: 1_500,
  reapMs: 1_500,
  finishMs: 1_300,
  headPollMs: 350,
  takeOverMs: 1_000,
  confirmMs: 300,
  livePollMs: 500,
  workIdleMs: 800,
  historyIdleMs: 1_000,
}
const former = { latencyMs: 4, ambushes: [], timing: formerTiming } as const

export const regressions: readonly Regression[] = [
  {
    title: "a stored block that lost is found although the node's finality has passed it",
    plan: {
      ...former,
      seed: 0,
      processes: 4,
      lanes: 1,
      blocks: 158,
      blockMs: 185,
      finalityGap: 24,
      rangeSize: 25,
      order: "oldest",
      recordBackend: false,
      providers: 1,
      faultyMs: 6111,
      slowPerMille: 15,
      lostPerMille: 0,
      nodeErrorPerMille: 60,
      crashes: [],
      pauses: [],
      outages: [],
      reorgs: [{ at: 4112, depth: 14, grow: 2 }],
      providerFaults: [],
      restores: [],
      poisons: [],
      clockSkewMs: 0,
    },
  },
  {
    title: "a failed range around a block that its dependency cannot take is done but for that block",
    plan: {
      ...former,
      seed: 159,
      processes: 3,
      lanes: 1,
      blocks: 177,
      blockMs: 296,
      finalityGap: 40,
      rangeSize: 25,
      order: "oldest",
      recordBackend: false,
      providers: 2,
      faultyMs: 10849,
      slowPerMille: 5,
      lostPerMille: 30,
      nodeErrorPerMille: 20,
      crashes: [
        { at: 7225, process: 0, backAfterMs: 1697, silent: false },
        { at: 6415, process: 1, backAfterMs: 3248, silent: false },
      ],
      pauses: [{ at: 3825, process: 0, ms: 2986, frozen: false }],
      outages: [{ at: 5258, of: "raw", ms: 1944 }],
      reorgs: [
        { at: 2628, depth: 27, grow: 0 },
        { at: 1001, depth: 41, grow: 0 },
        { at: 2237, depth: 6, grow: 1 },
      ],
      providerFaults: [],
      restores: [],
      poisons: [{ at: 5317, worker: "sim_transfers" }],
      clockSkewMs: 0,
    },
  },
  {
    title: "a silent process whose lease was cut keeps no lock that a later rollback waits for",
    plan: {
      ...former,
      seed: 20078,
      processes: 6,
      lanes: 1,
      blocks: 167,
      blockMs: 194,
      finalityGap: 12,
      rangeSize: 25,
      order: "oldest",
      recordBackend: true,
      providers: 1,
      faultyMs: 10913,
      slowPerMille: 5,
      lostPerMille: 30,
      nodeErrorPerMille: 60,
      crashes: [
        { at: 862, process: 1, backAfterMs: 2539, silent: true },
        { at: 4791, process: 3, backAfterMs: 473, silent: true },
      ],
      pauses: [],
      outages: [],
      reorgs: [{ at: 907, depth: 61, grow: 3 }],
      providerFaults: [],
      restores: [{ of: "raw", backupAt: 8403, at: 9922, stopped: true }],
      poisons: [],
      clockSkewMs: 0,
    },
  },
]
