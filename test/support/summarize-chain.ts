// Counts what is on the demo chain, over plain JSON-RPC: for its tests, and to look at it.

import { type AbiEvent, toEventSelector } from "viem"
import type { AnvilRpc } from "../../src/demo/anvil-rpc.js"
import * as contracts from "../../src/demo/contracts.generated.js"

export interface ChainSummary {
  blocks: number
  emptyBlocks: number
  largestBlock: number
  transactions: number
  failed: number
  creations: number
  accounts: number
  readonly byType: Record<string, number>
  readonly byEvent: Record<string, number>
  /** Block hashes in order of height. */
  readonly hashes: string[]
  /** Address and topics of every log, in order. */
  readonly logs: string[]
}

interface Receipt {
  readonly type: string
  readonly status: string
  readonly to: string | null
  readonly from: string
  readonly contractAddress: string | null
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[] }[]
}

/** ERC-20 and ERC-721 transfers share a signature, so the count of topics is part of the name. */
const eventNames = new Map<string, string>(
  Object.values(contracts)
    .flatMap(({ abi }) => abi as readonly { readonly type: string; readonly name?: string }[])
    .filter(({ type }) => type === "event")
    .map((event) => [toEventSelector(event as AbiEvent), event.name ?? ""]),
)

const nameOf = ([signature, ...rest]: readonly string[]) =>
  signature === undefined ? "(no topics)" : `${eventNames.get(signature) ?? "(unknown)"}/${rest.length + 1}`

export async function summarizeChain(rpc: AnvilRpc, range: { from: number; to: number }): Promise<ChainSummary> {
  const summary: ChainSummary = {
    ...{ blocks: 0, emptyBlocks: 0, largestBlock: 0, transactions: 0, failed: 0, creations: 0, accounts: 0 },
    ...{ byType: {}, byEvent: {}, hashes: [], logs: [] },
  }
  const accounts = new Set<string>()
  for (let height = range.from; height < range.to; height++) {
    const at = `0x${height.toString(16)}`
    const [block, receipts] = (await rpc.callAll([
      { method: "eth_getBlockByNumber", params: [at, false] },
      { method: "eth_getBlockReceipts", params: [at] },
    ])) as [{ hash: string }, Receipt[]]
    summary.blocks++
    summary.hashes.push(block.hash)
    if (receipts.length === 0) summary.emptyBlocks++
    summary.largestBlock = Math.max(summary.largestBlock, receipts.length)
    summary.transactions += receipts.length
    for (const receipt of receipts) countReceipt(summary, { receipt, accounts })
  }
  summary.accounts = accounts.size
  return summary
}

function countReceipt(summary: ChainSummary, { receipt, accounts }: { receipt: Receipt; accounts: Set<string> }) {
  summary.byType[receipt.type] = (summary.byType[receipt.type] ?? 0) + 1
  if (receipt.status === "0x0") summary.failed++
  else if (receipt.contractAddress !== null) summary.creations++
  for (const account of [receipt.from, receipt.to]) if (account !== null) accounts.add(account)
  for (const { address, topics } of receipt.logs) {
    const name = nameOf(topics)
    summary.byEvent[name] = (summary.byEvent[name] ?? 0) + 1
    summary.logs.push([address, ...topics].join(" "))
  }
}
