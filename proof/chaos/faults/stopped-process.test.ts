import { describe, expect, it } from "vitest"
import { undisturbed } from "../stage.js"
import { stopInTransaction, type TransactionMoment } from "../stopped-process.js"
import { FaultFixture } from "./fault-fixture.js"

const ingesting: readonly TransactionMoment[] = ["in mid-COPY", "after its last check", "while it claims"]
const deriving: readonly TransactionMoment[] = ["in mid-derive", "in mid-fold"]
const blocksEach = 60
const fixture = new FaultFixture()

describe("a process stopped with SIGSTOP", () => {
  it.each([
    ["ingest", ingesting],
    ["ingest,work", deriving],
  ])("is replaced when its leases end, changes nothing when it goes on, and works on: %s", async (roles, moments) => {
    const last = moments.length * 2 * blocksEach
    const node = await fixture.drivenNode({ blocks: last, startHead: 0 })
    const env = { RANGE_SIZE: "20", POLL_INTERVAL_MS: "100" }
    const stage = await fixture.stage({ rpcUrl: node.url, roles, env })
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
    const expected = await undisturbed({ postgres: fixture.postgres, rpcUrl: node.url }, last)
    expect(await stage.digest()).toEqual(expected)
    expect(await stage.probe.unfinished()).toEqual([])
    if (roles.includes("work")) {
      expect((await stage.check()).blocks).toBe(last + 1)
      expect(await stage.derived.leases()).toEqual([])
      expect(await stage.derived.errors()).toEqual([])
    }
    expect(stage.complaints()).toEqual([])
  })
})
