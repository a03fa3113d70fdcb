import { describe, expect, it } from "vitest"
import { patienceMs, pause } from "../../../test/support/wait-until.js"
import { FaultFixture } from "./fault-fixture.js"

const blocks = 300
// Longer than anything here waits: only what was given back can be taken up, and who waits for an answer of the node never ends.
const env = {
  ...{ RANGE_SIZE: "25", RPC_BATCH_BLOCKS: "5", RPC_TIMEOUT_MS: "3600000" },
  ...{ LEASE_TTL_MS: "3600000", HEAD_LEASE_TTL_MS: "3600000" },
}
const fixture = new FaultFixture()

describe("SIGTERM in the middle of work", () => {
  it.each(["an answering", "a silent"])(
    "ends the process beside %s node without waiting for it, and its ranges go to the next process at once",
    async (which) => {
      const node = await fixture.drivenNode({ blocks })
      const stage = await fixture.stage({ rpcUrl: node.url, env })
      const first = stage.start({ env: { RPC_MAX_RPS: "60" } })
      await stage.until(async () => (await stage.probe.storedBlocks()) > 50, { what: "work under way" })
      if (which === "a silent") {
        node.pause()
        await stage.until(async () => (await stage.probe.unfinished()).length >= 2, { what: "leases held" })
      }
      const began = performance.now()
      expect(await Promise.race([first.end("SIGTERM"), pause(patienceMs)])).toBe(0)
      console.info(`beside ${which} node it ended ${Math.round(performance.now() - began)} ms after SIGTERM`)
      const left = await stage.probe.unfinished()
      expect(left.filter(({ status }) => status !== "FAILED")).toEqual([])
      expect(left.filter(({ attempt }) => attempt > 0)).toEqual([])
      if (which === "a silent") expect(left.length).toBeGreaterThan(0)
      expect(await stage.probe.rows("select 1 from raw.processes")).toEqual([])
      node.resume()
      const [due] = await stage.probe.rows<{ later: string }>(
        "select count(*) as later from raw.worker_leases where next_attempt_at > clock_timestamp()",
      )
      expect(due!.later).toBe("0")
      stage.start()
      await stage.complete(blocks + 1)
      expect(Math.max(...(await stage.probe.leases()).map(({ attempt }) => attempt))).toBe(1)
    },
  )
})
