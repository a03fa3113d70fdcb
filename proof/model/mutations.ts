// The rules taken away one at a time, or together where one stands behind another. Each is caught in the first of its worlds that
// shows it, or has a reason why nothing shows.

import type { Rules } from "./config.js"
import type { ConfigurationName } from "./configurations.js"

export interface Mutation {
  readonly rules: Partial<Rules>
  /** Worlds in which it should show; the first that does ends the search. */
  readonly where: readonly ConfigurationName[]
  /** Why nothing shows, if so: another rule stands behind this one. */
  readonly harmless?: string
  /** Its world is too large for every test run. */
  readonly slow?: boolean
}

const rangeBehind = "the commit compares the range as well as the token"

export const mutations: Readonly<Record<string, Mutation>> = {
  "no fence": { rules: { fence: "none" }, where: ["fold"] },
  "fence by id, status and range": {
    rules: { fence: "id" },
    where: ["skip", "skip-straddle", "fold"],
    harmless: "whatever changes what was read takes the lease's row or changes its range",
  },
  "fence by id and status": { rules: { fence: "id", fenceRange: false }, where: ["skip-straddle"] },
  "fence without the range": {
    rules: { fenceRange: false },
    where: ["raw-splits", "extract-straddle"],
    harmless: "every change of a range ends the token",
  },
  "a group completes with the lead's lease alone": { rules: { groupWhole: false }, where: ["group"] },
  "no rollback check: extracts": { rules: { rollbackCheck: [true, false, true] }, where: ["extract-claims"] },
  "no rollback check: folds": { rules: { rollbackCheck: [true, true, false] }, where: ["open-rollback"] },
  "no rollback check: folds; leases not cut": {
    rules: { rollbackCheck: [true, true, false], cutLeases: false },
    where: ["fold-claims"],
  },
  "no rollback check: raw": {
    rules: { rollbackCheck: [false, true, true] },
    where: ["raw-straddle"],
    harmless: "an orphan that slips in is like one from a lagging node: the seam or the next comparison finds it",
  },
  "raw notes the epoch after the fetch": {
    rules: { noteBeforeFetch: false },
    where: ["raw-straddle"],
    harmless: "as above",
  },
  "tests in the statement that takes the lock": {
    rules: { testsAfterLock: false },
    where: ["extract"],
    harmless: "the lease is tested after it, and the rollback has fenced the lease",
  },
  "tests in the statement that takes the lock; leases not cut": {
    rules: { testsAfterLock: false, cutLeases: false },
    where: ["extract-claims"],
  },
  "no gate at claim": { rules: { claimGate: false }, where: ["skip"] },
  "no gate at commit": {
    rules: { gateAtCommit: false },
    where: ["extract", "fold", "skip"],
    harmless: "whatever shrinks an upstream fences the lease; only the soft invariant notices",
  },
  "no gate at commit; leases not cut, no rollback check: folds": {
    rules: { gateAtCommit: false, rollbackCheck: [true, true, false], cutLeases: false },
    where: ["fold-claims"],
  },
  "the read does not prove coverage": { rules: { proof: false }, where: ["extract-claims"] },
  "copy written whatever the epoch": { rules: { copyEpoch: false }, where: ["extract"] },
  "copy: epoch compared without the chain lock": { rules: { copyLocked: false }, where: ["extract"] },
  "copy replaced, not united": {
    rules: { copyUnion: false },
    where: ["extract"],
    harmless: "too small a copy only delays; only the soft invariant notices",
  },
  "no seam check": { rules: { seam: "none" }, where: ["raw-seams"] },
  "seam checked before the coverage row is locked": { rules: { seam: "early" }, where: ["raw-seams"] },
  "seam checked below only": { rules: { seam: "down" }, where: ["raw-seams"] },
  "seam checked above only": { rules: { seam: "up" }, where: ["raw-seams"] },
  "ancestor searched from the newest block only": { rules: { detect: "tip" }, where: ["raw-deep"] },
  "rollback: raw before app": { rules: { appFirst: false }, where: ["rollbackers"] },
  "rollback without the exclusive lock": { rules: { exclusiveLock: false }, where: ["extract"] },
  "no shared lock: raw": { rules: { sharedLock: [false, true, true] }, where: ["raw-seams"] },
  "no shared lock: extracts": { rules: { sharedLock: [true, false, true] }, where: ["extract"] },
  "no shared lock: folds": { rules: { sharedLock: [true, true, false] }, where: ["fold"] },
  "a fold takes the lock after its changes": { rules: { foldLockFirst: false }, where: ["stopped"] },
  "an open intent does not refuse raw commits": {
    rules: { intentRefuses: false },
    where: ["raw-straddle", "extract", "one-database"],
    harmless: "step 2 deletes whatever came above it; the rule saves work",
  },
  "intent without comparing the epoch": {
    rules: { intentCas: false },
    where: ["raw-straddle", "rollbackers"],
    harmless: "a rollback too many removes good data, which is fetched again",
  },
  "steps 1 and 2 not once by id": { rules: { stepsOnce: false }, where: ["rollbackers"] },
  "leases not cut": {
    rules: { cutLeases: false },
    where: ["raw-straddle", "extract-straddle", "fold"],
    harmless: "rollback check, gate and proof refuse the holder; needed for DEAD leases of orphaned blocks",
  },
  "leases cut, holder keeps its token": {
    rules: { cutFences: false },
    where: ["extract-straddle"],
    harmless: rangeBehind,
  },
  "leases cut, holder keeps its token; fence without the range": {
    rules: { cutFences: false, fenceRange: false },
    where: ["skip-straddle"],
  },
  "whoever cuts a lease leaves its connection open": {
    rules: { cutEnds: false },
    where: ["stopped-extract"],
  },
  "lease split, holder keeps its token": {
    rules: { splitFences: false },
    where: ["raw-splits"],
    harmless: rangeBehind,
  },
  "lease split, holder keeps its token; fence without the range": {
    rules: { splitFences: false, fenceRange: false },
    where: ["raw-splits"],
  },
  "release without the token": {
    rules: { releaseFenced: false },
    where: ["raw-regions"],
    harmless: "the successor loses its lease and its work, and the range is done again",
  },
  "undo over all removed heights, covered or not": { rules: { undo: "removed" }, where: ["fold"] },
  "event rows deleted before the fold is undone": { rules: { undoFirst: false }, where: ["fold"] },
  '"last" looked for among all rows': { rules: { probe: "any" }, where: ["fold"] },
  "no exclusion constraint": {
    rules: { exclusion: false },
    where: ["raw-straddle", "extract"],
    harmless: "the claim lock does it already; the constraint is the net under it",
  },
  "no claim lock": { rules: { claimLock: false }, where: ["raw-straddle"] },
  "a claim reads coverage, then leases": { rules: { claimOneSnapshot: false }, where: ["raw-straddle"] },
  "retry does not undo dependents": { rules: { undoOnRetry: false }, where: ["skip"] },
  "retry leaves leases of dependents alive": { rules: { retryFences: false }, where: ["skip"] },
  "retry without the exclusive lock": { rules: { retryLocked: false }, where: ["skip"] },
  "claims go on while heights are given back": { rules: { claimsWait: false }, where: ["give-back"] },
  "claims go on while a rollback is replayed": {
    rules: { replayClaimsWait: false },
    where: ["replay"],
    slow: true,
  },
  "raw repair without an epoch": { rules: { repairEpoch: false }, where: ["repair"] },
  "nobody ends the connection of an expired lease": { rules: { reaperEnds: false }, where: ["stopped"] },
  "the reaper looks at rows that are not locked only": { rules: { plainLook: false }, where: ["stopped"] },
  "the reaper's two looks have a moment each": { rules: { oneCutoff: false }, where: ["stopped"] },
  "the reaper's second look ends nobody": {
    rules: { secondLookEnds: false },
    where: ["held-up-claim"],
  },
  "no idle timeout for a rollback": { rules: { idleTimeout: false }, where: ["stopped"] },
  "app went back: rollbacks not replayed": { rules: { replay: false }, where: ["restore"] },
  "app went back: lease numbers are issued again; fence without the range": {
    rules: { freshTokens: false, fenceRange: false },
    where: ["restore-ids"],
  },
  "raw went back: only rollbacks compared": { rules: { comparesCoverage: false }, where: ["raw-back"] },
  "raw went back: only coverage compared": { rules: { comparesHistory: false }, where: ["raw-back"] },
  "raw went back: raw stores before it compares": { rules: { comparesFirst: false }, where: ["raw-back"] },
  "raw went back: raw's own next epoch": {
    rules: { epochAboveBoth: false },
    where: ["raw-back+"],
    slow: true,
    harmless: "whoever reads raw notes the lower of the two epochs, so what was read before is refused all the same",
  },
  "raw went back: rollback ids from raw's sequence": {
    rules: { freshIntentIds: false },
    where: ["raw-back+"],
    slow: true,
    harmless: "a step that is void by mistake leaves the two apart, and the comparison that follows has another id",
  },
}
