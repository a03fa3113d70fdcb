import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { startAnvil } from "../../test/fixtures/evm/start-anvil.js"
import { type PrivatePostgres, startPrivatePostgres } from "../../test/support/private-postgres.js"
import { formatReport } from "../checker/format-report.js"
import { runWithAnvilReorgs } from "./anvil-reorgs.js"
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

it("reorganisations of a real node end with the tables of a fresh run", async () => {
  const anvil = await startAnvil({ args: ["--no-mining"] })
  ending.push(() => anvil.stop())
  const stage = await Stage.open({
    postgres,
    rpcUrl: anvil.url,
    roles: "ingest,work",
    env: { REORG_CONFIRM_MS: "100", POLL_INTERVAL_MS: "50" },
  })
  ending.push(() => stage.close())
  const { head, rollbacks, included, deepest } = await runWithAnvilReorgs(stage, anvil, {
    ...{ reorgs: 6, seed: 3 },
  })
  expect(rollbacks).toBeGreaterThanOrEqual(3)
  expect(Math.min(included, deepest)).toBeGreaterThan(2)
  expect(await stage.probe.brokenLinks()).toEqual([])
  expect(await stage.digest()).toEqual(await undisturbed({ postgres, rpcUrl: anvil.url }, head))
  const report = await stage.check()
  if (!report.ok) throw new Error(formatReport(report))
  expect(report.tables.find(({ table }) => table === "ft_transfers")?.rowsFound ?? 0).toBeGreaterThan(5)
  expect(stage.complaints()).toEqual([])
})
