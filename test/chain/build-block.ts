// Turns the content of a block into the bytes a node would answer, once; serving never renders JSON again.

import { drawBlock, type TransactionContent } from "./block-content.js"
import { addToBloom, emptyBloomHex } from "./bloom.js"
import type { ResolvedChainOptions } from "./chain-options.js"
import { blockOnlyMembers, type Header, hashHeader, headerJson } from "./header.js"
import { bytesToHex, quantity } from "./hex.js"
import { encodeReceipt, encodeTransaction, hashOfEncoded, maxFeePerGas, priorityFeePerGas } from "./real-roots.js"
import { emptyTrieRoot, orderedTrieRoot } from "./trie-root.js"
import type { Universe } from "./universe.js"

export const blockForms = ["hashes", "full", "receipts"] as const
/** "hashes" and "full" are the two answers of eth_getBlockBy…, "receipts" the one of eth_getBlockReceipts. */
export type BlockForm = (typeof blockForms)[number]

export interface BuiltBlock extends Readonly<Record<BlockForm, Buffer>> {
  readonly hash: string
  readonly transactionHashes: readonly string[]
}

interface Receipt {
  readonly cumulativeGasUsed: number
  readonly bloom: string
}

const genesisTimestamp = 1_700_000_000
const blockTimeSeconds = 12
export const genesisParentHash = `0x${"00".repeat(32)}`

export function buildBlock(
  universe: Universe,
  options: ResolvedChainOptions,
  at: { readonly height: number; readonly parentHash: string },
): BuiltBlock {
  const content = drawBlock(universe, options, at.height)
  const blockBloom = new Uint8Array(256)
  const receipts = makeReceipts(content.transactions, blockBloom)
  const roots = makeRoots(content, receipts, options)
  const gasUsed = receipts.at(-1)?.cumulativeGasUsed ?? 0
  const header: Header = {
    ...content,
    ...roots,
    parentHash: at.parentHash,
    logsBloom: bytesToHex(blockBloom),
    number: quantity(at.height),
    gasLimit: quantity(Math.max(30_000_000, 2 * gasUsed)),
    gasUsed: quantity(gasUsed),
    timestamp: quantity(genesisTimestamp + at.height * blockTimeSeconds),
    baseFeePerGas: quantity(content.baseFeePerGas),
    parentBeaconBlockRoot: content.beaconRoot,
  }
  const hash = hashHeader(header)
  const hashes = roots.transactionHashes
  const size = quantity(600 + 180 * hashes.length)
  const opening = `${headerJson(header, hash)}${blockOnlyMembers}"${size}","uncles":[],"withdrawals":[],"transactions":[`
  const rendered = renderTransactions({
    transactions: content.transactions,
    receipts,
    hashes,
    place: `"blockHash":"${hash}","blockNumber":"${header.number}"`,
    timestamp: header.timestamp,
    baseFeePerGas: content.baseFeePerGas,
    chainId: options.chainId,
  })
  const list = hashes.length === 0 ? "" : `"${hashes.join('","')}"`
  return {
    hash,
    transactionHashes: hashes,
    hashes: Buffer.from(`${opening}${list}]}`, "latin1"),
    full: Buffer.from(`${opening}${rendered.transactions}]}`, "latin1"),
    receipts: Buffer.from(`[${rendered.receipts}]`, "latin1"),
  }
}

function makeReceipts(transactions: readonly TransactionContent[], blockBloom: Uint8Array): Receipt[] {
  let cumulativeGasUsed = 0
  return transactions.map((transaction) => {
    cumulativeGasUsed += transaction.gasUsed
    if (transaction.logs.length === 0) return { cumulativeGasUsed, bloom: emptyBloomHex }
    const bloom = new Uint8Array(256)
    for (const log of transaction.logs) {
      addToBloom(bloom, log.address.bits)
      for (const topic of log.topics) addToBloom(bloom, topic.bits)
    }
    for (let byte = 0; byte < 256; byte++) blockBloom[byte]! |= bloom[byte]!
    return { cumulativeGasUsed, bloom: bytesToHex(bloom) }
  })
}

function makeRoots(
  content: ReturnType<typeof drawBlock>,
  receipts: readonly Receipt[],
  options: ResolvedChainOptions,
) {
  const { transactions } = content
  if (!options.realRoots || transactions.length === 0) {
    const empty = transactions.length === 0
    return {
      transactionHashes: transactions.map((transaction) => transaction.hash),
      transactionsRoot: empty ? emptyTrieRoot : content.transactionsRoot,
      receiptsRoot: empty ? emptyTrieRoot : content.receiptsRoot,
    }
  }
  const chain = { chainId: options.chainId, baseFeePerGas: content.baseFeePerGas }
  const encoded = transactions.map((transaction) => encodeTransaction(transaction, chain))
  return {
    transactionHashes: encoded.map(hashOfEncoded),
    transactionsRoot: orderedTrieRoot(encoded),
    receiptsRoot: orderedTrieRoot(transactions.map((item, index) => encodeReceipt(item, receipts[index]!))),
  }
}

interface Rendering {
  readonly transactions: readonly TransactionContent[]
  readonly receipts: readonly Receipt[]
  readonly hashes: readonly string[]
  readonly place: string
  readonly timestamp: string
  readonly baseFeePerGas: number
  readonly chainId: number
}

// The order of members matters: json-spans.ts finds receipts by it.
function renderTransactions(block: Rendering): { transactions: string; receipts: string } {
  const gasPrice = quantity(block.baseFeePerGas + priorityFeePerGas)
  const fees =
    `"gasPrice":"${gasPrice}","maxFeePerGas":"${quantity(maxFeePerGas(block.baseFeePerGas))}",` +
    `"maxPriorityFeePerGas":"${quantity(priorityFeePerGas)}"`
  const chainId = quantity(block.chainId)
  let transactions = ""
  let receipts = ""
  let logIndex = 0
  block.transactions.forEach((item, index) => {
    const separator = index === 0 ? "" : ","
    const hash = block.hashes[index]!
    const position = quantity(index)
    transactions +=
      `${separator}{${block.place},"from":"${item.from}","gas":"${item.gasLimit}",${fees},"hash":"${hash}",` +
      `"input":"${item.input}","nonce":"${item.nonce}","to":"${item.to}","transactionIndex":"${position}",` +
      `"value":"${item.value}","type":"0x2","accessList":[],"chainId":"${chainId}","v":"0x1","yParity":"0x1",` +
      `"r":"${item.r}","s":"${item.s}"}`
    let logs = ""
    for (const log of item.logs) {
      let topics = ""
      for (const topic of log.topics) topics += `${topics === "" ? "" : ","}"${topic.hex}"`
      logs +=
        `${logs === "" ? "" : ","}{"address":"${log.address.hex}","topics":[${topics}],"data":"${log.data}",` +
        `${block.place},"transactionHash":"${hash}","transactionIndex":"${position}",` +
        `"blockTimestamp":"${block.timestamp}","logIndex":"${quantity(logIndex++)}","removed":false}`
    }
    const receipt = block.receipts[index]!
    receipts +=
      `${separator}{${block.place},"contractAddress":null,"cumulativeGasUsed":"${quantity(receipt.cumulativeGasUsed)}",` +
      `"effectiveGasPrice":"${gasPrice}","from":"${item.from}","gasUsed":"${quantity(item.gasUsed)}","logs":[${logs}],` +
      `"logsBloom":"${receipt.bloom}","status":"0x1","to":"${item.to}","transactionHash":"${hash}",` +
      `"transactionIndex":"${position}","type":"0x2"}`
  })
  return { transactions, receipts }
}
