import { describe, expect, it } from "vitest"
import { quickOrFull } from "../../quick-or-full.js"
import { compareAll } from "../compare.js"
import { stopInTransaction, type TransactionMoment } from "../stopped-process.js"
import { FaultFixture } from "./fault-fixture.js"

const moments: readonly TransactionMoment[] = [
  ...(["in mid-COPY", "while it claims", "in mid-fold"] as const),
  ...quickOrFull([], ["after its last check", "in mid-derive"] as const),
]
const blocksEach = 40
const fixture = new FaultFixture()

describe("a process stopped with SIGSTOP", () => {
  it("is replaced when its leases end, changes nothing when it goes on, and works on", async () => {
    const last = moments.length * 2 * blocksEach
    const node = await fixture.drivenNode({ blocks: last, startHead: 0 })
    const env = { RANGE_SIZE: "20", POLL_INTERVAL_MS: "100" }
    const stage = await fixture.stage({ rpcUrl: node.url, roles: "ingest,work", env })
    let head = 0
    const worker = stage.start()
    await stage.finish(1)
    for (const moment of moments) {
      head += blocksEach
      const moveHead = () => node.setHead(head)
      const { successor, takenOverMs } = await stopInTransaction(stage, { worker, moment, moveHead, head })
      console.info(`stopped ${moment}, its work was done by another ${takenOverMs} ms later`)
      await stage.finish(head + 1)
      // Alone now, and with more to do.
      worker.kill("SIGCONT")
      await successor.end("SIGKILL")
      head += blocksEach
      node.setHead(head)
      await stage.finish(head + 1)
      expect(await stage.probe.brokenLinks()).toEqual([])
    }
    expect(stage.members).toEqual([worker])
    await compareAll(stage, { against: { postgres: fixture.postgres, rpcUrl: node.url }, head: last })
    expect(await stage.derived.errors()).toEqual([])
  })
})
