// Plans that broke an invariant, shrunk, and break it again when what mended them is taken out. As plans and not as seeds: what a
// seed means changes when the generator does.

import type { Plan } from "./plan.js"
import type { Timing } from "./timing.js"

export interface Regression {
  /** What was wrong, as a fact that holds now. */
  readonly title: string
  readonly plan: Plan
}

/** As it was when these were found: what a plan does changes with it. */
const timing: Timing = {
  leaseTtlMs: 1_000,
  headLeaseTtlMs: 900,
  reapMs: 2_500,
  finishMs: 2_500,
  headPollMs: 600,
  takeOverMs: 1_200,
  confirmMs: 200,
  livePollMs: 1_100,
  workIdleMs: 2_200,
  historyIdleMs: 2_500,
  targetBytes: 1 << 20,
}

export const regressions: readonly Regression[] = [
  {
    title: "a stored block that lost is found although the node's finality has passed it",
    plan: {
      timing,
      seed: 2,
      processes: 1,
      lanes: 1,
      blocks: 20,
      blockMs: 347,
      finalityGap: 12,
      rangeSize: 60,
      order: "newest",
      recordBackend: false,
      providers: 1,
      faultyMs: 3343,
      latencyMs: 40,
      slowPerMille: 0,
      lostPerMille: 0,
      nodeErrorPerMille: 0,
      crashes: [],
      pauses: [],
      ambushes: [],
      outages: [],
      reorgs: [{ at: 2526, depth: 28, grow: 2 }],
      providerFaults: [],
      restores: [],
      poisons: [],
      clockSkewMs: 0,
    },
  },
  {
    title: "a node that stands still on a branch that lost gives no block of history",
    plan: {
      timing,
      seed: 2426,
      processes: 6,
      lanes: 1,
      blocks: 205,
      blockMs: 341,
      finalityGap: 24,
      rangeSize: 16,
      order: "oldest",
      recordBackend: true,
      providers: 2,
      faultyMs: 4069,
      latencyMs: 4,
      slowPerMille: 5,
      lostPerMille: 0,
      nodeErrorPerMille: 60,
      crashes: [],
      pauses: [{ at: 947, process: 0, ms: 3878, frozen: false }],
      ambushes: [{ at: 494, on: "write", act: "kill", ms: 2919, fork: false }],
      outages: [{ at: 1649, of: "app", ms: 1128 }],
      reorgs: [{ at: 2292, depth: 48, grow: 1 }],
      providerFaults: [{ at: 1386, provider: 1, kind: "stuck", ms: 2670 }],
      restores: [],
      poisons: [],
      clockSkewMs: 0,
    },
  },
  {
    title: "a process that starts ends a silent holder before it finishes the rollback that waits for it",
    plan: {
      timing,
      seed: 10935,
      processes: 3,
      lanes: 1,
      blocks: 197,
      blockMs: 282,
      finalityGap: 40,
      rangeSize: 16,
      order: "newest",
      recordBackend: true,
      providers: 1,
      faultyMs: 4026,
      latencyMs: 4,
      slowPerMille: 30,
      lostPerMille: 10,
      nodeErrorPerMille: 0,
      crashes: [
        { at: 3767, process: 0, backAfterMs: 446, silent: true },
        { at: 3887, process: 2, backAfterMs: 2171, silent: true },
      ],
      pauses: [],
      ambushes: [{ at: 264, on: "claim", act: "kill", ms: 2816, fork: true }],
      outages: [],
      reorgs: [],
      providerFaults: [],
      restores: [],
      poisons: [],
      clockSkewMs: 0,
    },
  },
]
