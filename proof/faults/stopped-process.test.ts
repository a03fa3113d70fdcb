import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type RunningChainServer, startChainServer } from "../../test/support/chain-server.js"
import { type PrivatePostgres, startPrivatePostgres } from "../../test/support/private-postgres.js"
import { Stage, undisturbed } from "./stage.js"
import { stopInTransaction, type TransactionMoment } from "./stopped-process.js"

const moments: readonly TransactionMoment[] = ["in mid-COPY", "after its last check", "while it claims"]
const blocksEach = 100
const last = moments.length * 2 * blocksEach

let postgres: PrivatePostgres
let node: RunningChainServer
let stage: Stage

beforeEach(async () => {
  postgres = await startPrivatePostgres()
  const size = { transactionsPerBlock: 5, logsPerBlock: 6, holders: 200 }
  node = await startChainServer({ ...size, blocks: last, startHead: 0 })
  stage = await Stage.open({ postgres, rpcUrl: node.url, env: { RANGE_SIZE: "20", POLL_INTERVAL_MS: "100" } })
})

afterEach(async () => {
  await stage.close()
  await node.stop()
  await postgres.remove()
})

describe("a process stopped with SIGSTOP", () => {
  it("is replaced when its lease ends, changes nothing when it goes on, and works on", async () => {
    let head = 0
    let worker = stage.start()
    await stage.complete(1)
    for (const moment of moments) {
      head += blocksEach
      const facts = await stopInTransaction(stage, {
        worker,
        moment,
        moveHead: () => node.setHead(head),
        head,
      })
      console.info(`stopped ${moment}, its work was done by another ${facts.takenOverMs} ms later`)
      // Alone now, and with more to do.
      worker.kill("SIGCONT")
      facts.successor.kill("SIGKILL")
      await facts.successor.exit
      head += blocksEach
      node.setHead(head)
      await stage.complete(head + 1)
      expect(await stage.probe.brokenLinks()).toEqual([])
      worker = stage.members[0]!
    }
    expect(stage.members).toHaveLength(1)
    const expected = await undisturbed({ postgres, rpcUrl: node.url }, last)
    expect(await stage.digest()).toEqual(expected)
    expect(await stage.probe.unfinished()).toEqual([])
    expect(stage.complaints()).toEqual([])
  })
})
