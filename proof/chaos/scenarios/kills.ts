import { quantile } from "../../../bench/measure/statistics.js"
import { runWithKills } from "../../faults/kills.js"
import { leaseMs, reapMs } from "../../faults/stage.js"
import { compareAll, compareRaw, times } from "../compare.js"
import { healWithinMs } from "../heal-within.js"
import type { Scenario } from "../scenario.js"
import type { Scene } from "../scene.js"
import { slowWork } from "../slow-work.js"

const blocksPerKill = 100
/** The fault plan's: a lease, a round of the reaper, and the work. */
const goalMs = leaseMs + reapMs + 5_000

interface How {
  readonly roles: string
  readonly twoDatabases?: boolean
  readonly backfill?: "oldest" | "newest"
}

async function kill(scene: Scene, { backfill = "oldest", ...options }: How) {
  const blocks = Math.max(600, scene.count * blocksPerKill)
  const postgres = await scene.postgres()
  const { url: rpcUrl } = await scene.node({ blocks })
  const stage = await scene.stage({ postgres, rpcUrl, env: { ...slowWork, BACKFILL: backfill }, ...options })
  const { recoveryMs, ...facts } = await runWithKills(stage, {
    ...{ processes: scene.isQuick ? 3 : 6, kills: scene.count, blocks, seed: scene.seed },
    // Between two kills, and after the last, there is one share of the blocks to do.
    timeoutMs: healWithinMs({
      ...{ blocks: blocks / (scene.count + 1), callsPerSecond: Number(slowWork.RPC_MAX_RPS) },
    }),
    delayMs: 500,
  })
  const compare = options.roles.includes("work") ? compareAll : compareRaw
  const compared = await compare(stage, { against: { postgres, rpcUrl }, head: blocks })
  return {
    ...{ times: scene.count, compared, recovery: times(recoveryMs) },
    facts: { blocks, ...facts, "goal of recovery": againstGoal(recoveryMs) },
  }
}

/** Said and not judged: it depends on what else the machine has to do. */
function againstGoal(recoveryMs: readonly number[]): string {
  const goal = `p99 of ${goalMs / 1_000} s at most`
  if (recoveryMs.length === 0) return `${goal}: nothing was lost`
  return `${goal}: ${quantile(recoveryMs, 0.99) <= goalMs ? "met" : "missed"}`
}

const count = { quick: 10, full: 200 }

export const kills: Scenario = {
  name: "kills",
  fault: "kill -9 at random moments, processes that ingest",
  count,
  quickTest: "kills.test.ts",
  run: (scene) => kill(scene, { roles: "ingest" }),
}

export const derivedKills: Scenario = {
  name: "derived-kills",
  fault: "kill -9 at random moments, processes that ingest and derive",
  count,
  quickTest: "derived-kills.test.ts",
  run: (scene) => kill(scene, { roles: "ingest,work" }),
}

export const derivedKillsTwoDatabases: Scenario = {
  name: "derived-kills-two-databases",
  fault: "the same, raw and app in two databases",
  count,
  quickTest: "derived-kills.test.ts",
  run: (scene) => kill(scene, { roles: "ingest,work", twoDatabases: true }),
}

export const derivedKillsNewestFirst: Scenario = {
  name: "derived-kills-newest-first",
  fault: "the same, one database, history from its newest block down",
  count,
  quickTest: "derived-kills.test.ts",
  run: (scene) => kill(scene, { roles: "ingest,work", backfill: "newest" }),
}
