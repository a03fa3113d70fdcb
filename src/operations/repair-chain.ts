// Verifies a chain's store and, if asked to, repairs what it can. Running processes fetch the blocks and derive
// heights.

import { planRepair, type RepairPlan } from "../verify/repair-plan.js"
import { repairStore } from "../verify/repair-store.js"
import type { VerifyDeps } from "../verify/verify-store.js"
import type { OperatedChain } from "./operated-chain.js"
import { type ChainFindings, type VerifyChainOptions, verifyChain } from "./verify-chain.js"

export interface RepairOptions extends VerifyChainOptions {
  readonly actor: string
  /** Where derived rows do not fit their block, the block is fetched again instead of trusted. */
  readonly refetch: boolean
  /** False: only reports what would be repaired. */
  readonly apply: boolean
}

export interface Repair extends ChainFindings {
  /** Only a person can repair these. */
  readonly left: RepairPlan["left"]
  readonly mended: boolean
}

export async function repairChain(
  { chain, verifier }: { readonly chain: OperatedChain; readonly verifier: VerifyDeps },
  { actor, refetch, apply, ...options }: RepairOptions,
): Promise<Repair> {
  // State is always compared: heights can be reopened only where it is what its events say.
  const only = options.only && [...options.only, "folds" as const]
  const found = await verifyChain(verifier, { ...options, only, withFolds: true })
  const plan = planRepair(found.findings, { refetch })
  const mended = apply && !options.signal.aborted && found.findings.length > plan.left.length
  // Cut short, the state may be unchecked: what relies on it waits for another run.
  const safe = found.cut ? { ...plan, refetch: [], rederive: [] } : plan
  if (mended) await repairStore(chain, { plan: safe, actor })
  return { ...found, left: plan.left, mended }
}
