// Shrunk plans that once broke an invariant. Each breaks it again when its fix is removed. Plans and not seeds: what a
// seed means changes with the generator.

import type { Plan } from "./plan.js"

export interface Regression {
  /** The fact that holds now. */
  readonly title: string
  readonly plan: Plan
}

const laterQuiet = {
  ...{ lanes: 1, slowPerMille: 0, lostPerMille: 0, nodeErrorPerMille: 0, clockSkewMs: 0 },
  ...{ crashes: [], pauses: [], ambushes: [], outages: [], reorgs: [], providerFaults: [], restores: [] },
  ...{ poisons: [], awaitedReorgs: [], acts: [] },
  // Not usualTiming: what a plan does depends on its timing.
  timing: {
    ...{ leaseTtlMs: 1_000, headLeaseTtlMs: 900, reapMs: 2_500, finishMs: 2_500, headPollMs: 600 },
    ...{ takeOverMs: 1_200, confirmMs: 200, livePollMs: 1_300, workIdleMs: 3_200, historyIdleMs: 4_000 },
    targetBytes: 1 << 24,
  },
}
const quiet = {
  ...laterQuiet,
  timing: {
    ...laterQuiet.timing,
    ...{ livePollMs: 1_100, workIdleMs: 2_200, historyIdleMs: 2_500, targetBytes: 1 << 20 },
  },
}

export const regressions: readonly Regression[] = [
  {
    title: "a stored block that lost is found although the node's finality has passed it",
    plan: {
      ...quiet,
      ...{ seed: 2, processes: 1, blocks: 20, blockMs: 347, finalityGap: 12, rangeSize: 60 },
      ...{ order: "newest", recordBackend: false, providers: 1, faultyMs: 3343, latencyMs: 40 },
      reorgs: [{ at: 2526, depth: 28, grow: 2 }],
    },
  },
  {
    title: "a node that stands still on a branch that lost gives no block of history",
    plan: {
      ...quiet,
      ...{ seed: 29, processes: 6, blocks: 205, blockMs: 341, finalityGap: 24, rangeSize: 16 },
      ...{ order: "oldest", recordBackend: true, providers: 2, faultyMs: 4069, latencyMs: 25 },
      ...{ slowPerMille: 5, nodeErrorPerMille: 60 },
      pauses: [{ at: 947, process: 0, ms: 3878, frozen: false }],
      ambushes: [{ at: 494, on: "write", act: "kill", ms: 2919, fork: false }],
      outages: [{ at: 1649, of: "app", ms: 1128 }],
      reorgs: [{ at: 2292, depth: 48, grow: 1 }],
      providerFaults: [{ at: 1386, provider: 1, kind: "stuck", ms: 3870 }],
    },
  },
  {
    title: "a process that starts ends a silent holder before it finishes the rollback that waits for it",
    plan: {
      ...quiet,
      ...{ seed: 16, processes: 3, blocks: 197, blockMs: 282, finalityGap: 40, rangeSize: 16 },
      ...{ order: "newest", recordBackend: true, providers: 1, faultyMs: 4026, latencyMs: 12 },
      ...{ slowPerMille: 30, lostPerMille: 10 },
      crashes: [
        { at: 3727, process: 0, backAfterMs: 446, silent: true },
        { at: 3887, process: 2, backAfterMs: 2171, silent: true },
      ],
      ambushes: [{ at: 264, on: "claim", act: "kill", ms: 2816, fork: true }],
    },
  },
  {
    title: "a claim that was held up until its time was over is not given away with its connection alive",
    plan: {
      ...laterQuiet,
      ...{ seed: 8844, processes: 3, blocks: 201, blockMs: 431, finalityGap: 40, rangeSize: 60 },
      ...{ order: "oldest", recordBackend: true, providers: 2, faultyMs: 5990, latencyMs: 12 },
      pauses: [{ at: 1161, process: 1, ms: 3828, frozen: false }],
      ambushes: [
        { at: 1843, on: "claim", act: "freeze", ms: 1785, fork: true },
        { at: 544, on: "intent", act: "silence", ms: 3245, fork: false },
        { at: 557, on: "claim", act: "kill", ms: 3307, fork: false },
      ],
      outages: [
        { at: 622, of: "app", ms: 1270 },
        { at: 3163, of: "raw", ms: 1093 },
      ],
    },
  },
  {
    title: "a node that stands still on a branch that lost gives no final block to the head's first range",
    plan: {
      ...laterQuiet,
      ...{ seed: 10, processes: 3, blocks: 201, blockMs: 454, finalityGap: 40, rangeSize: 40 },
      ...{ order: "oldest", recordBackend: false, providers: 2, faultyMs: 4564, latencyMs: 25 },
      ...{ slowPerMille: 30 },
      crashes: [{ at: 1574, process: 1, backAfterMs: 2186, silent: false }],
      ambushes: [
        { at: 968, on: "claim", act: "stop", ms: 3011, fork: true },
        { at: 1152, on: "intent", act: "kill", ms: 1832, fork: false },
      ],
      reorgs: [{ at: 2135, depth: 55, grow: 3 }],
      providerFaults: [{ at: 930, provider: 1, kind: "stuck", ms: 2701 }],
      restores: [{ of: "raw", backupAt: 896, at: 2277, stopped: true }],
    },
  },
  {
    title: "a claim that comes while heights are given back does not keep the right to what it read of them",
    plan: {
      ...laterQuiet,
      ...{ seed: 6075, processes: 4, blocks: 187, blockMs: 394, finalityGap: 24, rangeSize: 60 },
      ...{ order: "newest", recordBackend: false, providers: 2, faultyMs: 4267, latencyMs: 25 },
      ...{ slowPerMille: 15 },
      pauses: [{ at: 584, process: 2, ms: 2638, frozen: true }],
      ambushes: [{ at: 0, on: "read", act: "stall", ms: 1545, fork: false, mend: true }],
      reorgs: [{ at: 770, depth: 8, grow: -1 }],
      providerFaults: [{ at: 1373, provider: 0, kind: "lags", ms: 1811 }],
      acts: [
        { kind: "rederive", at: 2714, worker: "sim_holdings", from: 91, blocks: 36 },
        { kind: "mend", at: 5597, from: 91, blocks: 36 },
      ],
    },
  },
  {
    title: "an app database that went back learns again what raw covers although raw stands still",
    plan: {
      ...laterQuiet,
      ...{ seed: 24993, processes: 3, blocks: 203, blockMs: 390, finalityGap: 24, rangeSize: 25 },
      ...{ order: "oldest", recordBackend: false, providers: 1, faultyMs: 6034, latencyMs: 4 },
      ...{ slowPerMille: 5, nodeErrorPerMille: 60 },
      crashes: [
        { at: 757, process: 2, backAfterMs: 1499, silent: false },
        { at: 2838, process: 1, backAfterMs: 1567, silent: false },
      ],
      ambushes: [
        { at: 590, on: "write", act: "freeze", ms: 3473, fork: false },
        { at: 687, on: "claim", act: "stop", ms: 2718, fork: true },
      ],
      outages: [{ at: 827, of: "raw", ms: 590 }],
      reorgs: [
        { at: 4792, depth: 34, grow: 0 },
        { at: 3865, depth: 5, grow: 2 },
        { at: 1673, depth: 6, grow: 2 },
        { at: 2333, depth: 59, grow: -1 },
        { at: 3773, depth: 3, grow: -1 },
      ],
      restores: [{ of: "app", backupAt: 2055, at: 4831, stopped: false }],
    },
  },
  {
    title: "the head waits for its range whose claim was not answered, although finality has risen into it",
    plan: {
      ...laterQuiet,
      ...{ seed: 22, processes: 1, blocks: 20, blockMs: 472, finalityGap: 12, rangeSize: 25 },
      ...{ order: "oldest", recordBackend: false, providers: 1, faultyMs: 600, latencyMs: 4 },
      ...{ lostPerMille: 100 },
      awaitedReorgs: [{ at: 300, depth: 3, grow: -2 }],
    },
  },
  {
    title: "blocks of a branch that lost are found above a gap in which the shorter chain ends",
    plan: {
      ...laterQuiet,
      ...{ seed: 14, processes: 1, blocks: 20, blockMs: 472, finalityGap: 12, rangeSize: 25 },
      ...{ order: "oldest", recordBackend: false, providers: 1, faultyMs: 3_000, latencyMs: 4 },
      reorgs: [{ at: 2_950, depth: 6, grow: -5 }],
      acts: [{ kind: "refetch", at: 2_600, from: 20, blocks: 1 }],
    },
  },
]
