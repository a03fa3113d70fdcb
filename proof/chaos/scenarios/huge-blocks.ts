import assert from "node:assert/strict"
import { createChain } from "../../../test/chain/synthetic-chain.js"
import { heightNamedBy, isBlockCall } from "../../../test/support/hostile/rpc-shapes.js"
import { compareAll } from "../compare.js"
import { healWithinMs } from "../heal-within.js"
import { residentMb } from "../resident-mb.js"
import type { Scenario } from "../scenario.js"

const logs = 50_000
const payloadBytes = 20_000_000
const mostMb = 512
/** To store and derive one on a busy machine; the payload is less than all of them. */
const msPerLog = 1

export const hugeBlocks: Scenario = {
  name: "huge-blocks",
  fault: `a block of ${logs} logs, and one whose transaction carries ${payloadBytes / 1e6} MB`,
  count: { quick: 1, full: 1 },
  async run(scene) {
    const blocks = 60
    const size = {
      transactionsPerBlock: 3,
      logsPerBlock: 5,
      holders: 200,
      hugeBlockAt: 20,
      hugeBlockLogs: logs,
    }
    const chain = createChain({ blocks, ...size })
    const node = await scene.tamperingNode(() => ({ chain, head: blocks }))
    const payload = `0x${"c5".repeat(payloadBytes)}`
    node.tamper = (call, result) => {
      if (!isBlockCall(call) || heightNamedBy(call) !== 40 || call.params?.[1] !== true) return undefined
      const block = result as { transactions: object[] }
      const [first, ...rest] = block.transactions
      return { ...block, transactions: [{ ...first, input: payload }, ...rest] }
    }
    const postgres = await scene.postgres()
    const stage = await scene.stage({
      postgres,
      rpcUrl: node.url,
      roles: "ingest,work",
      env: { RANGE_SIZE: "20", LEASE_TTL_MS: "30000", WORKER_DEADLINE_MS: "60000" },
    })
    const began = performance.now()
    const [ingests, works] = ["ingest", "work"].map((roles) => stage.start({ roles }))
    await stage.finish(blocks + 1, healWithinMs({ blocks, otherMs: logs * msPerLog }))
    const seconds = ((performance.now() - began) / 1_000).toFixed(1)
    assert.equal(stage.members.length, 2, "a process ended")
    const peaks = {
      ingest: residentMb(ingests!.pid, { peak: true }),
      work: residentMb(works!.pid, { peak: true }),
    }
    for (const [role, mb] of Object.entries(peaks))
      assert.ok(mb <= mostMb, `the process with the role ${role} took ${mb} MB`)
    const [row] = await stage.probe.rows<{ n: number }>("select max(octet_length(input)) as n from raw.transactions")
    assert.equal(row!.n, payloadBytes)
    const resident = `at most ${peaks.ingest} MB resident to ingest, ${peaks.work} MB to derive`
    const compared = await compareAll(stage, { against: { postgres, rpcUrl: node.url }, head: blocks })
    return { times: 2, compared, recovery: `done in ${seconds} s; ${resident}`, facts: { blocks, ...peaks } }
  },
}
