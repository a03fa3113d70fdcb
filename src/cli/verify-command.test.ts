import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { DeriveStore } from "../../test/support/derive-store.js"
import { runCommand } from "../../test/support/run-command.js"
import { openWholeStore } from "../../test/support/whole-store.js"
import { ftHoldingsWorker } from "../families/evm/indexes/ft-holdings/ft-holdings-worker.js"
import { tokenWorker } from "../families/evm/indexes/tokens/token-worker.js"

let store: DeriveStore

beforeAll(async () => {
  const workers = [tokenWorker, ftHoldingsWorker]
  store = await openWholeStore({ seed: 3, from: 0, to: 20, workers, twoDatabases: false })
})

afterAll(() => store.close())

const { signal } = new AbortController()
const run = (argv: readonly string[], until = signal, env: Readonly<Record<string, string>> = {}) =>
  runCommand(argv, { env: { DB_RAW_URL: store.rawUrl, ...env }, signal: until })

const lookups = async (): Promise<number> =>
  (await store.app.query<{ count: number }>("select count(*)::int4 as count from raw.block_lookup")).rows[0]!.count

describe("tidemark verify and repair", () => {
  test("a store with nothing wrong is 0", async () => {
    expect(await run(["verify"])).toEqual({ code: 0, out: "test: nothing wrong was found\n", err: "" })
    expect(await run(["repair", "--yes"])).toMatchObject({ code: 0 })
  })

  test("one that was interrupted does not pass for whole", async () => {
    const { code, out } = await run(["verify"], AbortSignal.abort())
    expect(code).toBe(1)
    expect(out).toContain("stopped before the end")
  })

  test("heights that make no sense are a usage error", async () => {
    for (const flags of [
      ["--from", "x"],
      ["--to", "-1"],
      ["--from", "9", "--to", "8"],
      ["--limit", "0"],
      ["--checks", "folds,nothing"],
    ]) {
      expect(await run(["verify", ...flags])).toMatchObject({ code: 2, out: "" })
    }
  })

  test("only some checks run where they are named, and their findings are repaired", async () => {
    await store.app.query("delete from app.ft_holdings")
    expect((await run(["verify", "--checks", "row-lookups,coverage"])).code).toBe(0)
    const found = await run(["verify", "--checks", "folds", "--limit", "1"])
    expect(found.out).toContain("app.ft_holdings")
    expect(await run(["repair", "--checks", "folds", "--yes"])).toMatchObject({ code: 0 })
    expect((await run(["verify"])).code).toBe(0)
  })

  test("what the chain's checks exclude is named as skipped, and is no finding", async () => {
    await store.app.query("update raw.blocks set parent_hash = '\\x00' where height = 4")
    expect((await run(["verify", "--checks", "parent-links"])).code).toBe(1)
    const checks = { CHECKS: "parent:off,bloom:off" }
    const out = 'test: nothing wrong was found\n  skipped: parent-links, all of it: the check "parent" is off\n'
    expect(await run(["verify"], signal, checks)).toEqual({ code: 0, out, err: "" })
    expect(await run(["repair", "--yes"], signal, checks)).toMatchObject({ code: 0 })
    const asJson = JSON.parse((await run(["verify", "--json"], signal, checks)).out)
    expect(asJson).toMatchObject({ chains: [{ clean: true, skipped: [{ check: "parent-links" }] }] })
    // Stable numbers its logs in each transaction.
    const { rows } = await store.app.query<{ chain_id: string }>("select chain_id from raw.chain_state")
    await store.app.query("update raw.chain_state set chain_id = '988'")
    const { out: stable } = await run(["verify", "--checks", "event-places"])
    expect(stable).toContain("skipped: event-places, the numbers of events: Stable does not keep to it")
    await store.app.query("update raw.chain_state set chain_id = $1", [rows[0]!.chain_id])
    await store.app.query(
      "update raw.blocks as block set parent_hash = below.hash from raw.blocks as below where block.height = 4 and below.height = 3",
    )
    expect((await run(["verify"])).code).toBe(0)
  })

  test("what is wrong is named, shown by a dry run, and repaired with --yes", async () => {
    const before = await lookups()
    await store.app.query("delete from raw.block_lookup where height in (4, 11)")
    const found = await run(["verify"])
    expect(found.code).toBe(1)
    expect(found.out).toMatch(/test: 2 findings\n {2}row-lookups +block 0x\w+ of block 4 has no lookup\n/)
    expect((await run(["verify", "--from", "5", "--to", "10"])).code).toBe(0)
    expect((await run(["verify", "--from", "5", "--to", "11"])).code).toBe(1)
    expect((await run(["verify", "--limit", "1"])).out).toContain("more than 1 findings")
    expect(JSON.parse((await run(["verify", "--json"])).out)).toMatchObject({
      chains: [
        {
          chain: "test",
          clean: false,
          cut: false,
          findings: [{ check: "row-lookups", table: "raw.block_lookup", from: "4", to: "5" }, { from: "11" }],
        },
      ],
    })
    const dry = await run(["repair"])
    expect(dry.code).toBe(1)
    expect(dry.out).toContain("2 can be repaired: run it again with --yes.")
    expect(await lookups()).toBe(before - 2)
    const done = await run(["repair", "--yes"])
    expect(done.code).toBe(0)
    expect(done.out).toContain("Repaired 2.")
    expect(await run(["verify"])).toMatchObject({ code: 0 })
    const { rows } = await store.app.query("select actor, action from raw.audit_log")
    expect(rows).toEqual([{ actor: "ann@harbour", action: "repair" }])
  })
})
