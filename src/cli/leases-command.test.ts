import { afterEach, describe, expect, test } from "vitest"
import { checkDerived } from "../../proof/checker/check-derived.js"
import { formatReport } from "../../proof/checker/format-report.js"
import { insertLease } from "../../test/support/coordination-rows.js"
import { type DeriveStore, openDeriveStore } from "../../test/support/derive-store.js"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { brokenLookups } from "../../test/support/rollback-store.js"
import { runCommand } from "../../test/support/run-command.js"
import { builtInWorkers } from "../families/evm/indexes/built-in-workers.js"

const bad = 5
const end = 10
const all = livelyBlocks({ seed: 5, from: 0, to: end })
const blocks = (from: number, to: number) => all.slice(from, to)
let store: DeriveStore
afterEach(() => store.close())

async function leases(...argv: string[]): Promise<string> {
  const env = { DB_RAW_URL: store.rawUrl, DB_APP_URL: store.appUrl }
  const { out, err } = await runCommand(["leases", ...argv], { env })
  return out + err
}

/** All event and state rows of app, by table. */
async function tables({ app, registry }: DeriveStore): Promise<Record<string, unknown>> {
  const contents: Record<string, unknown> = {}
  for (const name of registry.workers.flatMap((worker) => Object.keys(worker.tables))) {
    const { rows } = await app.query(`select row::text from app.${name} as row order by 1`)
    contents[name] = rows
  }
  return contents
}

const coverage = async (): Promise<unknown[]> =>
  (
    await store.app.query(
      "select distinct heights::text as heights, skipped::text as skipped from app.coverage order by 1, 2",
    )
  ).rows

describe("a raw block that was skipped", () => {
  test("is fetched and derived after a retry, as if it had never been skipped", async () => {
    const options = { workers: builtInWorkers, twoDatabases: true }
    store = await openDeriveStore(blocks(0, end), options)
    await store.deriveAll()
    const whole = await tables(store)
    await store.close()

    store = await openDeriveStore(blocks(0, bad), options)
    await insertLease(store.raw, { from: bad, to: bad + 1, status: "DEAD", attempt: 20 })
    expect(await leases("skip", "--height", String(bad), "--yes")).toBe(`skipped block ${bad} of raw_ingester\n`)
    await store.append(blocks(bad + 1, end))
    await store.deriveAll()
    expect(await tables(store)).not.toEqual(whole)

    expect(await leases("retry", "--height", String(bad))).toBe(`retried block ${bad} of raw_ingester\n`)
    // It is neither covered nor skipped: the ingester finds a gap, and only that.
    expect(await coverage()).toEqual([{ heights: `{[0,${bad}),[${bad + 1},${end})}`, skipped: "{}" }])
    await store.append(blocks(bad, bad + 1))
    await store.deriveAll()
    expect(await coverage()).toEqual([{ heights: `{[0,${end})}`, skipped: "{}" }])
    expect(await tables(store)).toEqual(whole)
    expect(await brokenLookups(store.raw)).toEqual([])
    const report = await checkDerived(store)
    expect(report.ok, formatReport(report)).toBe(true)
    const { rows } = await store.raw.query("select actor, action from raw.audit_log order by id")
    expect(rows).toEqual([
      { actor: "ann@harbour", action: "skip" },
      { actor: "ann@harbour", action: "retry" },
    ])
    expect(await leases("retry", "--height", String(bad))).toContain("NOT_FOUND")
  })
})
