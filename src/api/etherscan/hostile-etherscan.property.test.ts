// Every action with hostile values: HTTP 200 and an envelope that clients parse, and never an error of ours.

import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { livelyBlocks } from "../../../test/support/lively-blocks.js"
import { type ServedStore, serveStore } from "../../../test/support/served-store.js"
import { evmFamily } from "../../families/evm/evm-family.js"

let served: ServedStore

beforeAll(async () => {
  served = await serveStore(livelyBlocks({ seed: 9, from: 0, to: 20 }))
}, 60_000)
afterAll(() => served.close())

const person = `0x${"01".repeat(20)}`
const token = `0x${"c6".repeat(20)}`
/** What fits, so that most requests get past their parameters. */
const fitting = {
  ...{ address: person, contractaddress: token, contractaddresses: token, txhash: `0x${"ab".repeat(32)}` },
  ...{ startblock: "1", endBlock: "19", page: "0", offset: "10", sort: "desc", fromBlock: "2", toBlock: "latest" },
  ...{ topic0: `0x${"ab".repeat(32)}`, topic1: `0x${"00".repeat(32)}`, topic0_1_opr: "or", timestamp: "1709000000" },
  ...{ closest: "after", blockno: "100", tag: "latest", boolean: "true", startdate: "2024-02-27" },
  ...{ enddate: "2024-02-28", partial: "true", chainid: "1337" },
}
const value = fc.oneof(
  fc.constantFrom("0", "1", "3", "19", "99999999", "999999999999999", "9999999999999999", "-1", "1e3", "latest", ""),
  fc.constantFrom(
    `0x${"01".repeat(20)}`,
    `0x${"c0".repeat(20)}`,
    `0x${"ab".repeat(32)}`,
    `0X${"C0".repeat(20)}`,
    "0x",
  ),
  fc.constantFrom(
    "asc",
    "desc",
    "or",
    "and",
    "before",
    "after",
    "true",
    "1337",
    "2024-02-27",
    "2024-02-30",
    "0000-01-01",
  ),
  fc.constantFrom("' or 1=1 --", "\u0000", "💥", "9".repeat(78), "__proto__"),
  fc.string({ maxLength: 20, unit: "binary" }),
)
/** A lone surrogate cannot be sent. */
const encoded = (text: string): string => encodeURIComponent(Buffer.from(text).toString())

test("every action answers hostile values with HTTP 200 in its format, and with no error of ours", async () => {
  const reached = new Set<string>()
  const action = fc.constantFrom(...evmFamily.etherscanActions.map(({ module, action: name }) => ({ module, name })))
  const given = Object.fromEntries(
    Object.entries(fitting).map(([name, fits]) => [
      name,
      fc.oneof({ arbitrary: fc.constant(fits), weight: 12 }, { arbitrary: value, weight: 1 }),
    ]),
  )
  const request = fc.record({ action, given: fc.record(given) })
  await fc.assert(
    fc.asyncProperty(request, async ({ action: { module, name }, given }) => {
      const query = Object.entries(given).map(([key, one]) => `&${key}=${encoded(one)}`)
      const url = `/api?module=${module}&action=${name}${query.join("")}`
      const { status, json, text } = await served.get(url)
      const what = `${url} ${text.slice(0, 300)}`
      expect(status, what).toBe(200)
      expect(text, what).not.toContain("the log says why")
      if (json.jsonrpc) expect(json.result !== undefined || typeof json.error.message === "string", what).toBe(true)
      else expect([typeof json.status, typeof json.message], what).toEqual(["string", "string"])
      if (json.status !== "0" && !json.error) reached.add(name)
    }),
    { numRuns: 600 },
  )
  // Some 12 of them in 600 draws; so few only if the fitting values no longer fit.
  expect(reached.size).toBeGreaterThan(5)
}, 120_000)
