import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { type RunningChainServer, startChainServer } from "../../test/support/chain-server.js"
import { openRawStore, type RawStore } from "../../test/support/raw-store.js"
import { evmFamily } from "../families/evm/evm-family.js"
import { Connection } from "../postgres/connection.js"
import { checkNode } from "./check-node.js"
import type { Finding } from "./finding.js"

const blocks = 120
const range = { from: 0, to: blocks + 1 }
const shape = { blocks, transactionsPerBlock: 3, logsPerBlock: 4, holders: 50 }

let store: RawStore
let node: RunningChainServer
let tx: Connection

beforeAll(async () => {
  node = await startChainServer(shape)
  store = await openRawStore()
  const outcome = await store.ingest(store.source(node.url), range)
  if (outcome.kind !== "done") throw new Error(`the chain was not stored: ${outcome.kind}`)
  tx = await Connection.open({ url: store.url, applicationName: "test" })
})
afterEach(() => node.reorg(node.chain, blocks))
afterAll(async () => {
  await tx.end()
  await store.close()
  await node.stop()
})

/** In a transaction that is rolled back, as verify does it; this removes the damage too. */
async function compare({ damage, whole }: { damage?: string; whole?: boolean } = {}): Promise<{
  findings: Finding[]
  headers: number
  wholeBlocks: number
}> {
  const source = store.source(node.url)
  await source.identity({ signal: new AbortController().signal })
  node.stats({ reset: true })
  await tx.begin({ isolation: "repeatable read" })
  try {
    if (damage) await tx.query(damage)
    const deps = { tx, source, family: evmFamily, signal: new AbortController().signal }
    const findings = await checkNode(deps, { range, limit: 1_000, ...(whole ? { whole } : {}) })
    const { methods } = node.stats()
    const wholeBlocks = methods["eth_getBlockReceipts"] ?? 0
    return { findings, headers: (methods["eth_getBlockByNumber"] ?? 0) - wholeBlocks, wholeBlocks }
  } finally {
    await tx.rollback()
  }
}

describe("a store compared with another node", () => {
  test("needs one header if its blocks are linked and the same as the node's", async () => {
    expect(await compare()).toEqual({ findings: [], headers: 1, wholeBlocks: 0 })
  })

  test("has a changed hash reported, with the node's, after few headers and one block", async () => {
    const { findings, headers, wholeBlocks } = await compare({
      damage: "update raw.blocks set hash = '\\xbad0' where height = 70",
    })
    expect(findings).toEqual([
      expect.objectContaining({
        check: "node",
        table: "raw.blocks",
        heights: { from: 70, to: 71 },
        found: "hash \\xbad0",
        expected: `hash \\x${node.chain.hashAt(70).slice(2)}`,
        remedy: { kind: "refetch", heights: { from: 70, to: 71 } },
      }),
    ])
    expect(headers).toBeLessThanOrEqual(12)
    expect(wholeBlocks).toBe(1)
  })

  test("is compared with a fork block by block, from the first block that differs", async () => {
    node.reorg(node.chain.fork({ at: 111, seed: 9 }))
    const { findings, headers, wholeBlocks } = await compare()
    const heights = new Set(findings.map((finding) => finding.heights!.from))
    expect([...heights].sort((a, b) => a - b)).toEqual([111, 112, 113, 114, 115, 116, 117, 118, 119, 120])
    expect(new Set(findings.map(({ table }) => table))).toEqual(
      new Set(["raw.blocks", "raw.transactions", "raw.events"]),
    )
    expect(headers).toBeLessThanOrEqual(20)
    expect(wholeBlocks).toBe(10)
  })

  test("has no damage if the node is behind, but that is reported", async () => {
    node.setHead(117)
    const { findings, wholeBlocks } = await compare()
    expect(findings.map(({ message }) => message)).toEqual(
      [118, 119, 120].map((height) =>
        expect.stringMatching(new RegExp(`^block ${height} is stored as 0x\\w+, but the node has no block there$`)),
      ),
    )
    expect(findings.every(({ remedy }) => remedy.kind === "none")).toBe(true)
    expect(wholeBlocks).toBe(0)
  })

  test.each([
    [
      "a changed value",
      "update raw.transactions set value = 77 where (block_height, transaction_index) = (33, 1)",
      { table: "raw.transactions", heights: { from: 33, to: 34 }, found: "value 77" },
    ],
    [
      "a missing log",
      `delete from raw.events
       where ctid = (select ctid from raw.events where block_height = 60 order by event_index limit 1)`,
      {
        table: "raw.events",
        heights: { from: 60, to: 61 },
        message: expect.stringMatching(/is missing; the node has it$/),
      },
    ],
    [
      "a transaction the node does not have",
      "update raw.transactions set transaction_index = 9 where (block_height, transaction_index) = (5, 2)",
      {
        table: "raw.transactions",
        message: expect.stringMatching(/transaction_index 9\) should not exist; the node does not have it$/),
      },
    ],
  ])("field by field has %s reported, though all hashes are right", async (_, damage, finding) => {
    expect((await compare({ damage })).findings).toEqual([])
    const { findings, wholeBlocks } = await compare({ damage, whole: true })
    expect(findings).toContainEqual(expect.objectContaining(finding))
    expect(new Set(findings.map(({ heights }) => heights!.from)).size).toBe(1)
    expect(wholeBlocks).toBe(blocks + 1)
  })
})
