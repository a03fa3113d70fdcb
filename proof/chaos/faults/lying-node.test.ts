import { describe, expect, it } from "vitest"
import { createChain } from "../../../test/chain/synthetic-chain.js"
import { heightNamedBy, isBlockCall, receiptsOf } from "../../../test/support/hostile/rpc-shapes.js"
import { startHostileRpc } from "../../../test/support/hostile-rpc.js"
import type { TamperingNode } from "../../../test/support/tampering-node.js"
import { waitUntil } from "../../../test/support/wait-until.js"
import { checkRaw } from "../../checker/check-raw.js"
import { formatReport } from "../../checker/format-report.js"
import { pinHonestly, type VerifyLevel } from "../lying-node.js"
import { residentMb } from "../resident-mb.js"
import type { Stage } from "../stage.js"
import { FaultFixture } from "./fault-fixture.js"

const size = { transactionsPerBlock: 3, logsPerBlock: 5, holders: 200 }

const chain = createChain({ ...size, blocks: 200, realRoots: true })
const fixture = new FaultFixture()

// Every lie of the catalogue, at random: proof/chaos/scenarios/lies.ts.
describe("a node that lies", () => {
  describe("about the amount of a transfer, and fits it to nothing else", () => {
    const [liedAbout, head] = [17, 40]
    const amount = `0x${"ee".repeat(32)}`

    async function lyingAboutAmount(verify: VerifyLevel): Promise<{ node: TamperingNode; stage: Stage }> {
      const node = await fixture.tamperingNode(() => ({ chain, head }))
      node.tamper = (call, result) => {
        const receipts = receiptsOf(call, result)
        if (receipts === undefined || heightNamedBy(call) !== liedAbout) return undefined
        receipts.flatMap(({ logs }) => logs).find(({ data }) => data.length === 66)!.data = amount
        return receipts
      }
      const stage = await fixture.stage({ rpcUrl: node.url, env: { VERIFY: verify } })
      stage.start()
      return { node, stage }
    }
    const isStored = async (stage: Stage) =>
      (await stage.probe.rows(`select 1 from raw.events where data = '\\x${amount.slice(2)}'`)).length > 0

    // As docs/reference/config.md says under `verify`. Should this fail one day, the page has to change.
    it("is believed with VERIFY=standard", async () => {
      const { node, stage } = await lyingAboutAmount("standard")
      await stage.complete(head + 1)
      expect(await isStored(stage)).toBe(true)
      node.tamper = () => undefined
      const { ok, tables } = await checkRaw({ rawUrl: stage.url, rpcUrl: node.url, to: head + 1 })
      expect(ok).toBe(false)
      const wrong = tables.flatMap(({ table, differences }) => differences.map((one) => ({ table, ...one })))
      expect(wrong).toMatchObject([{ table: "events", column: "data", found: amount.slice(2) }])
    })

    it("is refused with VERIFY=roots, and the true one is stored once it is told", async () => {
      const { node, stage } = await lyingAboutAmount("roots")
      await waitUntil(
        async () => (await stage.probe.coverage()) === `{[0,${liedAbout}),[${liedAbout + 1},${head + 1})}`,
        { what: "all blocks but one stored" },
      )
      expect(await stage.probe.unfinished()).toMatchObject([{ from: liedAbout, to: liedAbout + 1 }])
      expect((await stage.probe.unfinished())[0]!.error).toContain("receiptsRoot")
      expect(await isStored(stage)).toBe(false)
      node.tamper = () => undefined
      await stage.complete(head + 1)
      const report = await checkRaw({ rawUrl: stage.url, rpcUrl: node.url, to: head + 1 })
      expect(report.ok, formatReport(report)).toBe(true)
    })
  })

  it("about one block always, has that block named and set apart, and nothing else held up", async () => {
    const node = await fixture.tamperingNode(() => ({ chain, head: 100 }))
    const liedAbout = 57
    node.tamper = (call, result) =>
      isBlockCall(call) && heightNamedBy(call) === liedAbout
        ? { ...(result as object), logsBloom: `0x${"ab".repeat(256)}` }
        : undefined
    const stage = await fixture.stage({ rpcUrl: node.url })
    const member = stage.start()
    await waitUntil(async () => (await stage.probe.coverage()) === `{[0,${liedAbout}),[${liedAbout + 1},101)}`, {
      what: "all blocks but one stored",
    })
    const [lease, ...others] = await stage.probe.unfinished()
    expect(others).toEqual([])
    expect(lease).toMatchObject({ from: liedAbout, to: liedAbout + 1, code: "VERIFY_UNSUPPORTED" })
    expect(lease!.error).toContain(`block ${liedAbout}`)
    expect(lease!.error).toContain("checks: { bloom: false }")
    node.tamper = () => undefined
    await stage.complete(101)
    expect(stage.members).toEqual([member])
  })

  it("about the parent of a range's first block is found out before that block is stored", async () => {
    const node = await fixture.tamperingNode(() => ({ chain, head: 40 }))
    // The range below is not to be had meanwhile, so that no stored neighbour can tell.
    node.tamper = (call, result) => {
      const height = heightNamedBy(call)
      if (!isBlockCall(call) || height === undefined || call.params?.[1] !== true) return undefined
      if (height === 20) return { ...(result as object), parentHash: `0x${"cd".repeat(32)}` }
      return height < 20 ? null : undefined
    }
    const stage = await fixture.stage({ rpcUrl: node.url, env: { RANGE_SIZE: "20" } })
    stage.start()
    await waitUntil(
      async () => (await stage.probe.unfinished()).find(({ from, code }) => from === 20 && code === "PARENT_MISMATCH"),
      { what: "the false parent named" },
    )
    expect(await stage.probe.rows("select 1 from raw.blocks where height = 20")).toEqual([])
    node.tamper = () => undefined
    await stage.complete(41)
    expect(await stage.probe.foreignBlocks((height) => chain.hashAt(height))).toEqual([])
  })

  it("about its chain is named, and not one block of it is stored", async () => {
    const other = createChain({ ...size, blocks: 200, seed: 5, chainId: 4242 })
    let away = false
    const right = await fixture.tamperingNode(() => (away ? undefined : { chain, head: 100 }))
    const wrong = await fixture.tamperingNode(() => ({ chain: other, head: 200 }))
    const stage = await fixture.stage({ rpcUrl: `${right.url},${wrong.url}` })
    stage.start()
    await stage.complete(101)
    away = true
    const label = new URL(wrong.url).host
    await waitUntil(
      async () => {
        const rows = await stage.probe.rows<{
          state: { providers: { label: string; mismatch: string | null }[] }
        }>("select state from raw.processes")
        return rows.some(({ state }) =>
          state.providers.some((provider) => provider.label === label && provider.mismatch === "4242"),
        )
      },
      { what: "the wrong chain named in the state of the process" },
    )
    away = false
    right.view = () => ({ chain, head: 150 })
    await stage.complete(151)
    expect(await stage.probe.foreignBlocks((height) => chain.hashAt(height))).toEqual([])
  })

  it("with answers of 200 MB finds a process that stays under 512 MB and goes on", async () => {
    const node = await startHostileRpc({ seed: 3, chain: createChain({ ...size, blocks: 200 }) })
    fixture.ending(() => node.stop())
    const stage = await fixture.stage({ rpcUrl: node.url, env: { RPC_BATCH_BLOCKS: "10", RANGE_SIZE: "20" } })
    await pinHonestly(stage, node)
    node.setFaults({ hugeBody: 1 })
    const member = stage.start()
    await waitUntil(() => node.counts.hugeBody >= 4, { what: "huge answers" })
    node.setFaults({})
    await stage.complete(201)
    expect(stage.members).toEqual([member])
    const peakMb = residentMb(member.pid, { peak: true })
    console.info(`at most ${peakMb} MB resident`)
    expect(peakMb).toBeLessThan(512)
  })
})
