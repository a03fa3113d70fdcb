// Adds an operator to some plans, and a delayed answer to others. Drawn from random streams of their own, so that the
// rest of the plan does not depend on it.

import type { Act, Ambush, Plan, Stretch } from "./plan.js"
import { SimRandom } from "./sim-random.js"
import { simWorkerNames } from "./sim-workers.js"

const operatedPart = 1 / 8
const stalledPart = 1 / 8
const cancelledPart = 1 / 8

export const withOperator = (plan: Plan): Plan => withCancellation(withActs(plan))

function withCancellation(plan: Plan): Plan {
  const random = new SimRandom(Math.imul(plan.seed + 1, 0x3c6ef372) ^ 0x510e527f)
  if (!random.chance(cancelledPart)) return plan
  const acts = Array.from({ length: 3 }, (): Act => ({ kind: "cancel", at: moment(plan, random) }))
  return { ...plan, acts: [...plan.acts, ...acts] }
}

function withActs(plan: Plan): Plan {
  const random = new SimRandom(Math.imul(plan.seed + 1, 0x2c1b3c6d) ^ 0x6c078965)
  if (random.chance(operatedPart)) return operated(plan, random)
  return random.chance(stalledPart) ? stalled(plan, random) : plan
}

const moment = ({ faultyMs }: Plan, random: SimRandom): number => random.between(300, faultyMs - 500)

/** The answer comes after the chain was rolled back and its range restored: only the fence refuses the commit. */
function stalled(plan: Plan, random: SimRandom): Plan {
  const stall: Ambush = {
    at: Math.floor(moment(plan, random) * 0.6),
    on: random.pick(["read", "write"] as const),
    act: "stall",
    ms: random.between(2_500, 5_000),
    fork: true,
  }
  return { ...plan, ambushes: [...plan.ambushes, stall] }
}

function operated(plan: Plan, random: SimRandom): Plan {
  const stretch = (): Stretch => {
    const blocks = random.between(1, 40)
    return { from: random.between(0, plan.blocks - blocks), blocks }
  }
  const acts: Act[] = []
  if (random.chance(0.5))
    acts.push({ kind: "rederive", at: moment(plan, random), worker: random.pick(simWorkerNames), ...stretch() })
  if (random.chance(0.4)) acts.push({ kind: "refetch", at: moment(plan, random), ...stretch(), blocks: 1 })
  let { poisons } = plan
  // Late, so that few reorganisations come after it.
  if (random.chance(0.1)) {
    const worker = random.pick(simWorkerNames.slice(0, 2))
    poisons = [...poisons, { at: random.between(plan.faultyMs - 1_500, plan.faultyMs - 600), worker }]
  }
  if (poisons.length > 0)
    acts.push({ kind: "skip", at: moment(plan, random), backAfterMs: random.between(200, 1_500) })
  // A restore would undo what was mended.
  if (plan.restores.length > 0) return { ...plan, poisons, acts }
  const wrong = stretch()
  // First a dependent is derived again, when most of it is done, so that it reads the wrong rows. The worker itself is
  // mended at that read, or at the end.
  const rederiveAt = Math.floor(plan.faultyMs * (0.3 + random.next() * 0.3))
  acts.push({ kind: "rederive", at: rederiveAt, worker: "sim_holdings", ...wrong })
  acts.push({ kind: "mend", at: plan.faultyMs - 500, ...wrong })
  const ms = random.between(1_500, 3_500)
  const reading: Ambush = { at: 0, on: "read", act: "stall", ms, fork: false, mend: true }
  return { ...plan, poisons, acts, ambushes: [...plan.ambushes, reading] }
}
