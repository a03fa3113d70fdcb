// All of them, in the order of their hazards.

import { anyBlockWillDo } from "./any-block-will-do.js"
import type { Bug } from "./bug.js"
import { commitsTwice } from "./commits-twice.js"
import { coverageApartFromData } from "./coverage-apart-from-data.js"
import { coverageIsAHull } from "./coverage-is-a-hull.js"
import { cutKeepsItsToken } from "./cut-keeps-its-token.js"
import { equalHeights } from "./equal-heights.js"
import { finalFromAnyNode } from "./final-from-any-node.js"
import { finalityJumps } from "./finality-jumps.js"
import { forksMixedInARange } from "./forks-mixed-in-a-range.js"
import { gapsBelowOverlooked } from "./gaps-below-overlooked.js"
import { nobodyAsksDependencies } from "./nobody-asks-dependencies.js"
import { oldReadAfterARepair } from "./old-read-after-a-repair.js"
import { rawRollsBackFirst } from "./raw-rolls-back-first.js"
import { rolledBackComesBack } from "./rolled-back-comes-back.js"
import { seamAboveUnchecked } from "./seam-above-unchecked.js"
import { seamBeforeTheLock } from "./seam-before-the-lock.js"
import { stoppedHolderLeft } from "./stopped-holder-left.js"
import { straddlingLeaseDropped } from "./straddling-lease-dropped.js"
import { testAndLockAtOnce } from "./test-and-lock-at-once.js"
import { undoDeletesState } from "./undo-deletes-state.js"
import { watermarkJumps } from "./watermark-jumps.js"
import { zombieCompletes } from "./zombie-completes.js"

export const bugs: Readonly<Record<string, Bug>> = {
  "zombie-completes": zombieCompletes,
  "watermark-jumps": watermarkJumps,
  "gaps-below-overlooked": gapsBelowOverlooked,
  "nobody-asks-dependencies": nobodyAsksDependencies,
  "rolled-back-comes-back": rolledBackComesBack,
  "any-block-will-do": anyBlockWillDo,
  "raw-rolls-back-first": rawRollsBackFirst,
  "coverage-is-a-hull": coverageIsAHull,
  "commits-twice": commitsTwice,
  "undo-deletes-state": undoDeletesState,
  "equal-heights": equalHeights,
  "finality-jumps": finalityJumps,
  "final-from-any-node": finalFromAnyNode,
  "forks-mixed-in-a-range": forksMixedInARange,
  "seam-above-unchecked": seamAboveUnchecked,
  "straddling-lease-dropped": straddlingLeaseDropped,
  "coverage-apart-from-data": coverageApartFromData,
  "stopped-holder-left": stoppedHolderLeft,
  "seam-before-the-lock": seamBeforeTheLock,
  "old-read-after-a-repair": oldReadAfterARepair,
  "cut-keeps-its-token": cutKeepsItsToken,
  "test-and-lock-at-once": testAndLockAtOnce,
}
