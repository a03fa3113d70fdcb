// The built program on the newest Node that it has to run on, with its threads, its embedded PostgreSQL and its CLI.

import { once } from "node:events"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type RunningChainServer, startChainServer } from "../support/chain-server.js"
import { hasTestBinary, testBinary } from "../support/test-binary.js"
import { program } from "../support/tidemark-process.js"
import { waitUntil } from "../support/wait-until.js"
import { urlOf, Workplace } from "./workplace.js"

describe.runIf(hasTestBinary("node-24"))("on Node 24", () => {
  const command = [join(testBinary("node-24"), "bin", "node"), program] as const
  let workplace: Workplace
  let node: RunningChainServer

  beforeAll(async () => {
    workplace = await Workplace.make()
    node = await startChainServer({ blocks: 60, transactionsPerBlock: 3, logsPerBlock: 4, holders: 100 })
  })

  afterAll(async () => {
    await workplace.remove()
    await node.stop()
  })

  it("history is stored and derived, status tells so, and a TERM stops it cleanly", async () => {
    const child = workplace.run(["start", "--rpc", node.url, "--end-block", "60"], { command })
    const url = await urlOf(child)
    await waitUntil(async () => (await fetch(`${url}/ready?history=1`)).status === 200, {
      what: "all of its history",
    })
    const status = workplace.run(["status"], { command })
    await once(status.child.stdout!, "close")
    expect(await status.exit).toBe(0)
    expect(status.lines.map(({ msg }) => msg).join("\n")).toMatch(/watermark +60 /)
    child.kill("SIGTERM")
    expect(await child.exit).toBe(0)
    expect(await workplace.leftovers()).toEqual([])
    expect(child.lines.filter(({ level }) => level === "warn" || level === "error")).toEqual([])
    expect(child.errors).toEqual([])
  })
})
