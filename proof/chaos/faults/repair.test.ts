// verify and repair on a store that real processes are working on: no false alarm while blocks come and go, and damage that is
// mended under them ends with the same tables.

import { describe, expect, it } from "vitest"
import { Database } from "../../../src/postgres/database.js"
import { createChain } from "../../../test/chain/synthetic-chain.js"
import { waitUntil } from "../../../test/support/wait-until.js"
import type { Stage } from "../stage.js"
import { FaultFixture } from "./fault-fixture.js"

const chain = createChain({ blocks: 400, transactionsPerBlock: 3, logsPerBlock: 5, holders: 200 })
const fixture = new FaultFixture()

async function run(stage: Stage, args: readonly string[]): Promise<{ code: number | string; text: string }> {
  const member = stage.run(args)
  const code = await member.exit
  return { code, text: [...member.lines.map(({ msg }) => msg), ...member.errors].join("\n") }
}

describe("a store that processes are working on", () => {
  it("raises no false alarm, and is mended under them", async () => {
    const node = await fixture.tamperingNode(() => ({ chain, head: 200, finalized: 100 }))
    const env = { REORG_CONFIRM_MS: "200", POLL_INTERVAL_MS: "50" }
    const stage = await fixture.stage({ rpcUrl: node.url, roles: "ingest,work", twoDatabases: true, env })
    stage.start()
    await waitUntil(async () => (await stage.probe.hashAt(3)) !== undefined, {
      what: "the first blocks",
    })
    const branch = chain.fork({ at: 150, seed: 9 })
    node.view = () => ({ chain: branch, head: 205, finalized: 100 })
    const during = await run(stage, ["verify"])
    expect(during).toMatchObject({ code: 0 })
    await stage.derivedTo(206)
    const before = await stage.digest()

    const raw = new Database({ url: stage.url, applicationName: "test" })
    const app = new Database({ url: stage.appUrl, applicationName: "test" })
    fixture.ending(async () => {
      await raw.end()
      await app.end()
    })
    await raw.query("delete from raw.events where block_height = 40")
    await raw.query("delete from raw.transactions where block_height = 41 and transaction_index = 1")
    await raw.query("update raw.blocks set parent_hash = '\\x00' where height = 170")
    await raw.query("delete from raw.tx_lookup where block_height = 60")
    await app.query("update app.ft_transfers set amount = amount + 1 where block_height = 80")
    await app.query("update app.ft_holdings set balance = balance + 5")
    expect((await run(stage, ["verify"])).code).toBe(1)
    const repaired = await run(stage, ["repair", "--yes", "--limit", "10000"])
    expect(repaired).toMatchObject({ code: 0 })
    await stage.derivedTo(206)
    expect(await run(stage, ["verify", "--rpc", node.url])).toMatchObject({ code: 0 })
    expect(await stage.digest()).toEqual(before)
    await stage.check()
    expect(stage.complaints()).toEqual([])
  })
})
