// What a person does meanwhile, in some seeds, and answers that come late. Drawn from a stream of its own, so that what else a seed means
// stays as it was.

import type { Act, Ambush, Plan } from "./plan.js"
import { SimRandom } from "./sim-random.js"
import { simWorkerNames } from "./sim-workers.js"

const operatedPart = 1 / 6
const stalledPart = 1 / 8

export function withOperator(plan: Plan): Plan {
  const random = new SimRandom(Math.imul(plan.seed + 1, 0x2c1b3c6d) ^ 0x297a2d39)
  const isOperated = random.chance(operatedPart)
  if (!isOperated && !random.chance(stalledPart)) return plan
  const late = (part: number): number => Math.floor(random.between(300, plan.faultyMs - 500) * part)
  const stall: Ambush = {
    at: late(0.6),
    on: random.pick(["read", "write"] as const),
    act: "stall",
    ms: random.between(2_500, 5_000),
    fork: true,
  }
  if (!isOperated) return { ...plan, ambushes: [...plan.ambushes, stall] }
  const stretch = (): { from: number; blocks: number } => {
    const blocks = random.between(1, 40)
    return { from: random.between(0, plan.blocks - blocks), blocks }
  }
  const acts: Act[] = []
  if (random.chance(0.5))
    acts.push({ kind: "rederive", at: late(1), worker: random.pick(simWorkerNames), ...stretch() })
  if (random.chance(0.4)) acts.push({ kind: "refetch", at: late(1), from: stretch().from, blocks: 1 })
  if (plan.poisons.length > 0)
    acts.push({ kind: "skip", at: late(0.5), backAfterMs: random.between(200, 1_500) })
  // A backup brings back what was mended since.
  if (plan.restores.length > 0) return { ...plan, acts }
  const wrong = stretch()
  // Somebody looks downstream first, when most of it is derived, which is then read again; and only then where it came from.
  const looksAt = Math.floor(plan.faultyMs * (0.3 + random.next() * 0.3))
  acts.push({ kind: "rederive", at: looksAt, worker: "sim_holdings", ...wrong })
  acts.push({ kind: "mend", at: plan.faultyMs - 500, ...wrong })
  const reading: Ambush = {
    ...stall,
    at: 0,
    on: "read",
    ms: random.between(400, 1_500),
    fork: false,
    mend: true,
  }
  return { ...plan, acts, ambushes: [...plan.ambushes, reading] }
}
