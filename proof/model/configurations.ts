// The worlds in which the protocol is checked. quick: all of them in half a minute, for every test run. full: larger ones,
// minutes each.

import type { Setup } from "./config.js"

/** A fold over the rows of an extract, read before its commit. */
const fold = { heights: 2, workers: { raw: "auto", E: "auto", F: "fine" }, grain: { F: "stmt" } } as const

export const quick = {
  // Two loops, a reorganisation, a node that lags, ranges of one block: seams of neighbours in flight.
  "raw-seams": { heights: 2, workers: { raw: "fine" }, grain: { raw: "stmt" }, depths: [1, 2], faults: { lag: 1 } },
  // A reorganisation of everything: what is left of the old chain may lie below a gap.
  "raw-deep": { heights: 3, workers: { raw: "fine" }, depths: [3] },
  // Ranges of two blocks that a rollback or the end of a region cuts in the middle; claims in two steps.
  "raw-straddle": {
    ...{ heights: 3, rangeSize: 2, workers: { raw: "fine" }, grain: { raw: "stmt" }, depths: [1, 2] },
    ...{ splitClaim: true, watches: 1 },
  },
  "raw-regions": {
    heights: 2,
    rangeSize: 2,
    workers: { raw: "fine" },
    depths: [1],
    regions: true,
    releases: true,
  },
  // A failing range is split by its holder.
  "raw-splits": {
    ...{ heights: 2, rangeSize: 2, workers: { raw: "fine" }, grain: { raw: "stmt" }, depths: [1] },
    splits: true,
  },
  // Extraction across two databases.
  extract: { heights: 2, workers: { raw: "auto", E: "fine" }, grain: { E: "stmt" }, depths: [1], copiers: 2 },
  "extract-straddle": { heights: 2, rangeSize: 2, workers: { raw: "auto", E: "fine" }, grain: { E: "stmt" } },
  // The same in one database: one advisory lock for both.
  "one-database": {
    heights: 2,
    workers: { raw: "fine", E: "fine" },
    grain: { E: "stmt" },
    depths: [1],
    oneDatabase: true,
  },
  // Two that do the rollback, each with its own, perhaps old, memory of the intent; two rollbacks.
  rollbackers: {
    ...{ heights: 2, slots: 1, start: 2, workers: { raw: "auto", E: "auto" }, reorgs: 2 },
    ...{ rollbackers: 2, watches: 2, depths: [1] },
  },
  fold,
  "fold-in-commit": { ...fold, foldsInCommit: true },
  // A rollback that others come upon between its cut of leases and its commit.
  "open-rollback": {
    ...{ heights: 2, workers: { raw: "auto", E: "auto", F: "fine" }, depths: [1] },
    ...{ rollbackers: 1, openRollback: true },
  },
  // Extract and fold share a range, a read and a commit.
  group: {
    ...{ heights: 2, slots: 1, workers: { raw: "auto", E: "fine", F: "fine" }, depths: [1] },
    ...{ group: true, foldsInCommit: true },
  },
  // A process stopped in its open transaction for ever, with all its locks.
  stopped: {
    ...{ heights: 2, workers: { raw: "auto", E: "auto", F: "fine" }, grain: { F: "locks" }, depths: [1] },
    ...{ rollbackers: 1, openRollback: true, faults: { freeze: 1 }, foldsInCommit: true },
  },
  "stopped-extract": {
    ...{ heights: 2, workers: { raw: "auto", E: "fine" }, grain: { E: "locks" }, depths: [1] },
    ...{ rollbackers: 1, openRollback: true, faults: { freeze: 1 } },
  },
  // A claim held up between its statement and its commit, until its time is over.
  "held-up-claim": {
    ...{ heights: 1, workers: { raw: "auto", E: "fine" }, grain: { E: "locks" }, depths: [1] },
    ...{ splitClaim: true, faults: { freeze: 1 } },
  },
  // A dead block: skipped, retried, and a covered height derived again.
  skip: {
    ...{ heights: 2, workers: { raw: "auto", E: "fine", F: "fine" }, grain: { F: "stmt" }, reorgs: 0 },
    ...{ skips: true, faults: { die: 1, fix: 1 } },
  },
  // A height given back in a transaction that others come upon: a dependent that reads what is about to go.
  "give-back": {
    ...{ heights: 2, workers: { raw: "auto", E: "auto", F: "fine" }, reorgs: 0 },
    ...{ skips: true, openUndo: true, splitClaim: true, faults: { fix: 1 } },
  },
  // A raw block repaired.
  repair: {
    heights: 2,
    slots: 1,
    workers: { raw: "auto", E: "fine" },
    grain: { E: "stmt" },
    depths: [1],
    faults: { repair: 1 },
  },
  // App restored from an older state.
  restore: {
    ...{ heights: 2, slots: 1, workers: { raw: "auto", E: "fine" }, depths: [1] },
    ...{ rollbackers: 1, faults: { restore: 1 } },
  },
  // Raw restored, or failed over with its last commits lost.
  "raw-back": {
    ...{ heights: 2, slots: 0, workers: { raw: "auto", E: "auto" }, depths: [1] },
    ...{ rollbackers: 1, faults: { rawBack: 1 } },
  },
} as const satisfies Record<string, Setup>

export const full = {
  // App restored behind a rollback, and rolled back once more before the comparison finds that; a dependent comes upon the replay.
  replay: {
    ...{ heights: 2, slots: 1, workers: { raw: "auto", E: "auto", F: "fine" }, depths: [1, 2], reorgs: 2 },
    ...{ derivesRows: true, openUndo: true, faults: { restore: 1 } },
  },
  "raw-seams+": { ...quick["raw-seams"], heights: 3 },
  "raw-straddle+": { ...quick["raw-straddle"], heights: 4, depths: [1, 2, 3], faults: { lag: 1 } },
  "raw-splits+": { ...quick["raw-straddle"], splits: true, regions: true, releases: true },
  "extract+": { ...quick.extract, heights: 3, depths: [1, 2], splitClaim: true },
  "extract-straddle+": { ...quick["extract-straddle"], heights: 3, splitClaim: true },
  "one-database+": { ...quick["one-database"], heights: 3, depths: [1, 2] },
  "rollbackers+": { ...quick.rollbackers, workers: { raw: "auto", E: "fine" }, depths: [1, 2] },
  "fold+": { ...quick.fold, heights: 3 },
  "fold-in-commit+": { ...quick["fold-in-commit"], heights: 3, reorgs: 2, splitClaim: true },
  "group+": { ...quick.group, slots: 2, grain: { E: "stmt" }, releases: true },
  "group-straddle+": { ...quick.group, slots: 2, heights: 3, rangeSize: 2 },
  all: { heights: 2, workers: { raw: "fine", E: "fine", F: "fine" }, depths: [1], splitClaim: true },
  "three-loops": {
    ...quick.fold,
    slots: 3,
    workers: { raw: "auto", E: "fine", F: "fine" },
    grain: {},
    depths: [1],
  },
  "stopped-group": {
    ...quick.stopped,
    workers: { raw: "auto", E: "fine", F: "fine" },
    grain: { E: "locks" },
    group: true,
  },
  "skip+": { ...quick.skip, reorgs: 1, depths: [1] },
  "repair+": {
    ...quick.repair,
    workers: { raw: "auto", E: "fine", F: "auto" },
    rollbackers: 1,
    depths: [1, 2],
  },
  "restore+": { ...quick.restore, workers: { raw: "auto", E: "fine", F: "auto" }, depths: [1, 2] },
  "raw-back+": { ...quick["raw-back"], slots: 1, workers: { raw: "auto", E: "fine" }, depths: [1, 2] },
} as const satisfies Record<string, Setup>

/** For mutations alone. */
const special = {
  "fold-claims": { ...fold, splitClaim: true },
  // A fold over two blocks of which one is derived again.
  "skip-straddle": { ...fold, rangeSize: 2, reorgs: 0, skips: true, faults: { fix: 1 } },
  "extract-claims": { ...quick.extract, depths: [1, 2], splitClaim: true },
  // Lease numbers as they are: the space is endless, and searched until the first violation.
  "restore-ids": {
    ...{ heights: 2, slots: 2, workers: { raw: "auto", E: "fine" }, reorgs: 0 },
    ...{ exactIds: true, faults: { restore: 1 } },
  },
} as const satisfies Record<string, Setup>

export const configurations: Readonly<Record<string, Setup>> = { ...quick, ...full, ...special }
export type ConfigurationName = keyof typeof quick | keyof typeof full | keyof typeof special
