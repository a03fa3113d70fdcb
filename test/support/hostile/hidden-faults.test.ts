import { afterEach, expect, it } from "vitest"
import type { FetchedBlock } from "../../../src/families/evm/source/block-json.js"
import { BloomReader } from "../../../src/families/evm/source/bloom.js"
import { pairReceipts } from "../../../src/families/evm/source/pair-receipts.js"
import { allChecks, verifyBlock } from "../../../src/families/evm/source/verify-block.js"
import { verifyRoots } from "../../../src/families/evm/source/verify-roots.js"
import { createChain } from "../../chain/synthetic-chain.js"
import { type HostileRpc, noticedOnlyByRoots, startHostileRpc } from "../hostile-rpc.js"

const chain = createChain({
  blocks: 12,
  transactionsPerBlock: 5,
  logsPerBlock: 18,
  holders: 80,
  realRoots: true,
})
let node: HostileRpc | undefined

afterEach(async () => {
  await node?.stop()
  node = undefined
})

async function fetched(url: string, height: number): Promise<FetchedBlock> {
  const named = `0x${height.toString(16)}`
  const calls = [
    { jsonrpc: "2.0", id: 0, method: "eth_getBlockByNumber", params: [named, true] },
    { jsonrpc: "2.0", id: 1, method: "eth_getBlockReceipts", params: [named] },
  ]
  const response = await fetch(url, { method: "POST", body: JSON.stringify(calls) })
  const [block, receipts] = (await response.json()) as { result: never }[]
  const parts = { block: block!.result, receipts: receipts!.result }
  return { ...parts, height, bytes: 0, provider: "test", exact: () => parts }
}

const standardSays = (block: FetchedBlock) =>
  verifyBlock(pairReceipts(block), new BloomReader().read(block.receipts), allChecks)

it("an honest block passes all checks, roots too", async () => {
  node = await startHostileRpc({ seed: 1, chain })
  const block = await fetched(node.url, 5)
  expect([standardSays(block), verifyRoots(block)]).toEqual([undefined, undefined])
})

it.each(noticedOnlyByRoots)("%s passes every check but that of hashes and roots", async (name) => {
  node = await startHostileRpc({ seed: 1, chain, faults: { [name]: 1 } })
  for (let height = 1; height <= 12; height++) {
    const block = await fetched(node.url, height)
    expect(standardSays(block)).toBeUndefined()
    expect(verifyRoots(block)).toMatchObject({ check: "roots" })
  }
  expect(node.counts[name]).toBe(12)
})

it("no check notices the same false sender twice, nor what a receipt says of prices, its gas and its contract", async () => {
  node = await startHostileRpc({ seed: 1, chain })
  const { block, receipts, ...rest } = await fetched(node.url, 5)
  const from = `0x${"77".repeat(20)}`
  const transactions = block.transactions.map((transaction) => ({ ...transaction, from }))
  const said = { from, effectiveGasPrice: "0x1", gasUsed: "0x1", contractAddress: from }
  const lie = {
    ...rest,
    block: { ...block, transactions },
    receipts: receipts.map((receipt) => ({ ...receipt, ...said })),
  }
  expect([standardSays(lie), verifyRoots(lie)]).toEqual([undefined, undefined])
})
