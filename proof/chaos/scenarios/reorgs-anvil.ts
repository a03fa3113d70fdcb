import { startAnvil } from "../../../test/fixtures/evm/start-anvil.js"
import { runWithAnvilReorgs } from "../../faults/anvil-reorgs.js"
import { compareAll, times } from "../compare.js"
import type { Scenario } from "../scenario.js"

export const reorgsAnvil: Scenario = {
  name: "reorgs-anvil",
  fault:
    "a real node's own reorganisations, up to 30 deep, transactions included again elsewhere, empty blocks",
  count: { quick: 6, full: 200 },
  quickTest: "anvil-reorg.test.ts",
  async run(scene) {
    const anvil = await startAnvil({ args: ["--no-mining"] })
    scene.ending(() => anvil.stop())
    const postgres = await scene.postgres()
    const stage = await scene.stage({
      ...{ postgres, rpcUrl: anvil.url, roles: "ingest,work" },
      env: { REORG_CONFIRM_MS: "100", POLL_INTERVAL_MS: "50" },
    })
    const { reorgs, storedMs, head, ...counts } = await runWithAnvilReorgs(stage, anvil, {
      ...{ reorgs: scene.count, seed: scene.seed, reorgsPerKill: 20, say: scene.say },
    })
    const compared = await compareAll(stage, { against: { postgres, rpcUrl: anvil.url }, head })
    const facts = { blocks: head, ...counts }
    return { times: reorgs, compared, recovery: `stored: ${times(storedMs)}`, facts }
  },
}
