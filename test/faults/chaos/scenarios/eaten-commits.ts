import assert from "node:assert/strict"
import { startCommitEatingProxy } from "../../../support/commit-eating-proxy.js"
import { seededRandom } from "../../../support/seeded-random.js"
import { waitUntil } from "../../../support/wait-until.js"
import { compareAll, times } from "../compare.js"
import type { Scenario } from "../scenario.js"

const blocksPerCommit = 6
/** There are many more claims than commits of rows. */
const share = { ingest: 0.3, derive: 0.3, claim: 0.05, other: 0.02 }
/** Ranges are short, so commits take the time and not the limit of requests: this is what a busy machine needs for a block. */
const msPerBlock = 50

export const eatenCommits: Scenario = {
  name: "eaten-commits",
  fault: "the answer to a COMMIT is lost with its connection; ingest and derive, two databases",
  count: { quick: 10, full: 1_000 },
  async run(scene) {
    const { count, seed } = scene
    const blocks = Math.max(60, count * blocksPerCommit)
    const postgres = await scene.postgres()
    const { url: rpcUrl } = await scene.node({ blocks })
    const proxy = await startCommitEatingProxy(postgres)
    scene.ending(() => proxy.close())
    const random = seededRandom(seed)
    const eaten = () => Object.values(proxy.eaten).reduce((sum, n) => sum + n, 0)
    const enough = () => eaten() >= count && proxy.eaten.ingest > 0 && proxy.eaten.derive > 0
    proxy.eats = (kind) => !enough() && random.next() < share[kind]
    const stage = await scene.stage({
      ...{ postgres, rpcUrl, roles: "ingest,work", twoDatabases: true, way: proxy.way },
      env: { RANGE_SIZE: "5", RPC_BATCH_BLOCKS: "5", RPC_MAX_RPS: "150" },
    })
    const processes = scene.isQuick ? 2 : 3
    for (let i = 0; i < processes; i++) stage.start()
    const done = async () => enough() || (await stage.progress()) > blocks
    await waitUntil(done, { what: `${count} commits eaten`, timeoutMs: 3_600_000, everyMs: 250 })
    proxy.eats = () => false
    const healed = performance.now()
    await stage.finish(blocks + 1, 60_000 + (blocks + 1 - (await stage.progress())) * msPerBlock)
    const healedMs = performance.now() - healed
    assert.equal(stage.members.length, processes, "a process ended")
    assert.ok(enough(), JSON.stringify(proxy.eaten))
    const compared = await compareAll(stage, { against: { postgres, rpcUrl }, head: blocks })
    return {
      ...{ times: eaten(), compared, recovery: `all blocks done ${times([healedMs])}` },
      facts: { blocks, ...proxy.eaten },
    }
  },
}
