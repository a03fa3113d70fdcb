import assert from "node:assert/strict"
import { startCommitEatingProxy } from "../../../test/support/commit-eating-proxy.js"
import { seededRandom } from "../../../test/support/seeded-random.js"
import { patienceMs, waitUntil } from "../../../test/support/wait-until.js"
import { compareAll, times } from "../compare.js"
import { healWithinMs } from "../heal-within.js"
import type { Scenario } from "../scenario.js"

/** The chain grows by so many whenever most of it is done, until enough was eaten. */
const growth = 60
/** There are many more claims than commits of rows. */
const share = { ingest: 0.3, derive: 0.3, claim: 0.05, other: 0.02 }
/** From one commit that is eaten to the next; 0.2 s were seen. */
const msPerCommit = 5_000
const callsPerSecond = 150

export const eatenCommits: Scenario = {
  name: "eaten-commits",
  fault: "the answer to a COMMIT is lost with its connection; ingest and derive, two databases",
  count: { quick: 5, full: 1_000 },
  async run(scene) {
    const { count, seed } = scene
    const postgres = await scene.postgres()
    let blocks = growth
    const holders = scene.isQuick ? 200 : 2_000
    const node = await scene.drivenNode({ blocks: 1_000_000, startHead: blocks, holders })
    const rpcUrl = node.url
    const proxy = await startCommitEatingProxy(postgres)
    scene.ending(() => proxy.close())
    const random = seededRandom(seed)
    const eaten = () => Object.values(proxy.eaten).reduce((sum, n) => sum + n, 0)
    const enough = () => eaten() >= count && proxy.eaten.ingest > 0 && proxy.eaten.derive > 0
    proxy.eats = (kind) => !enough() && random.next() < share[kind]
    const stage = await scene.stage({
      ...{ postgres, rpcUrl, roles: "ingest,work", twoDatabases: true, way: proxy.way },
      env: { RANGE_SIZE: "5", RPC_BATCH_BLOCKS: "5", RPC_MAX_RPS: String(callsPerSecond) },
    })
    const processes = scene.isQuick ? 2 : 3
    for (let i = 0; i < processes; i++) stage.start()
    await waitUntil(
      async () => {
        if (enough()) return true
        if ((await stage.progress()) > blocks - growth / 2) {
          blocks += growth
          node.setHead(blocks)
        }
        return false
      },
      { what: `${count} commits eaten`, timeoutMs: patienceMs + count * msPerCommit, everyMs: 250 },
    )
    proxy.eats = () => false
    const healed = performance.now()
    const left = blocks + 1 - (await stage.progress())
    await stage.finish(blocks + 1, healWithinMs({ blocks: left, callsPerSecond }))
    const healedMs = performance.now() - healed
    assert.equal(stage.members.length, processes, "a process ended")
    const compared = await compareAll(stage, { against: { postgres, rpcUrl }, head: blocks })
    return {
      ...{ times: eaten(), compared, recovery: `all blocks done ${times([healedMs])}` },
      facts: { blocks, ...proxy.eaten },
    }
  },
}
