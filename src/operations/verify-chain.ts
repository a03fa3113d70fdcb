// Checks one chain's store and returns what is wrong, up to a limit. Changes nothing.

import type { BlockRange } from "../domain/block-range.js"
import type { CheckName, Finding, SkippedCheck } from "../verify/finding.js"
import { listSkipped, selfChecks, type VerifyDeps, type VerifyProgress, verifyStore } from "../verify/verify-store.js"

export interface VerifyChainOptions {
  /** What is left out reaches to the end of what is stored. */
  readonly range: Partial<BlockRange> | undefined
  /** Every block is fetched from the second node and compared. */
  readonly whole: boolean
  readonly limit: number
  /** Of the checks against the store itself, only these. */
  readonly only?: readonly CheckName[] | undefined
  readonly signal: AbortSignal
  readonly onProgress?: (progress: VerifyProgress) => void
}

export interface ChainFindings {
  readonly findings: readonly Finding[]
  /** There may be more: it stopped at the limit, or was stopped. */
  readonly cut: boolean
  /** On this chain. */
  readonly skipped: readonly SkippedCheck[]
}

export async function verifyChain(
  deps: VerifyDeps,
  {
    limit,
    withFolds,
    only = selfChecks,
    ...options
  }: VerifyChainOptions & {
    /** State has no height: it is compared as a whole or not at all. */
    readonly withFolds: boolean
  },
): Promise<ChainFindings> {
  const checks: CheckName[] = selfChecks.filter((check) => only.includes(check) && (check !== "folds" || withFolds))
  if (deps.source) checks.push("node")
  const skipped = listSkipped(deps, checks)
  const findings: Finding[] = []
  try {
    for await (const finding of verifyStore(deps, { ...options, checks })) {
      if (findings.length === limit) return { findings, cut: true, skipped }
      findings.push(finding)
    }
  } catch (error) {
    // What was found before it was stopped is reported.
    if (options.signal.aborted) return { findings, cut: true, skipped }
    throw error
  }
  return { findings, cut: false, skipped }
}
