import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { formatReport } from "../checker/format-report.js"
import { startAnvil, type TestAnvil } from "../fixtures/evm/start-anvil.js"
import { type PrivatePostgres, startPrivatePostgres } from "../support/private-postgres.js"
import { waitUntil } from "../support/wait-until.js"
import { Stage, undisturbed } from "./stage.js"

let postgres: PrivatePostgres
const ending: (() => Promise<void>)[] = []
beforeAll(async () => {
  postgres = await startPrivatePostgres()
})
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end()
})
afterAll(() => postgres.remove())

const word = (value: string): string => value.replace("0x", "").padStart(64, "0")
const transferTopic = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

/** Code that is run once, at its creation, and logs a token transfer. */
const transferring = ({ from, to, amount }: { from: string; to: string; amount: number }): string =>
  `0x7f${word(amount.toString(16))}600052${[to, from, transferTopic].map((topic) => `7f${word(topic)}`).join("")}60206000a360006000f3`

/** A block of its own for each. */
async function transact(anvil: TestAnvil, transactions: number): Promise<void> {
  const accounts = (await anvil.rpc("eth_accounts")) as string[]
  for (let i = 0; i < transactions; i++) {
    const [from, to] = [accounts[i % 3]!, accounts[(i + 1) % 3]!]
    const content =
      i % 2 === 0
        ? { data: transferring({ from, to, amount: 100 + i }) }
        : { to, value: `0x${(1_000 + i).toString(16)}` }
    await anvil.rpc("eth_sendTransaction", { from, gas: "0x30000", ...content })
    await anvil.rpc("evm_mine")
  }
}

async function headOf(anvil: TestAnvil): Promise<{ height: number; hash: string }> {
  const { number, hash } = (await anvil.rpc("eth_getBlockByNumber", "latest", false)) as Record<
    "number" | "hash",
    string
  >
  return { height: Number(number), hash }
}

it("reorganisations of a real node end with the tables of a fresh run", async () => {
  const anvil = await startAnvil({ args: ["--no-mining"] })
  ending.push(() => anvil.stop())
  await transact(anvil, 20)
  const stage = await Stage.open({
    postgres,
    rpcUrl: anvil.url,
    roles: "ingest,work",
    env: { REORG_CONFIRM_MS: "100", POLL_INTERVAL_MS: "50" },
  })
  ending.push(() => stage.close())
  stage.start()
  await stage.derivedTo(21, 60_000)
  for (const depth of [1, 7, 3]) {
    const before = await headOf(anvil)
    await anvil.rpc("anvil_reorg", depth, [])
    await transact(anvil, 3)
    const head = await headOf(anvil)
    expect(head.height).toBe(before.height + 3)
    await waitUntil(async () => (await stage.probe.hashAt(head.height)) === head.hash, {
      what: `the branch ${depth} deep stored`,
      timeoutMs: 60_000,
    })
    expect(await stage.probe.hashAt(before.height)).not.toBe(before.hash)
  }
  const { height } = await headOf(anvil)
  await stage.derivedTo(height + 1, 60_000)
  const rollbacks = await stage.probe.rows("select 1 from raw.rollbacks")
  expect(rollbacks.length).toBeGreaterThanOrEqual(3)
  expect(await stage.probe.brokenLinks()).toEqual([])
  expect(await stage.digest()).toEqual(await undisturbed({ postgres, rpcUrl: anvil.url }, height))
  const report = await stage.check()
  if (!report.ok) throw new Error(formatReport(report))
  expect(report.tables.find(({ table }) => table === "ft_transfers")?.rowsFound ?? 0).toBeGreaterThan(5)
  expect(stage.complaints()).toEqual([])
}, 120_000)
