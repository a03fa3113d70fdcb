// The JSON-RPC methods of the synthetic node, each from parameters to rendered result bytes.

import { quantity, word } from "./hex.js"
import { itemAt, type LogFilter, logsIn } from "./json-spans.js"
import type { Chain } from "./synthetic-chain.js"

/** What the node holds for true at the moment of a call. Heights inclusive. */
export interface ChainView {
  readonly chain: Chain
  readonly head: number
  readonly finalized: number
}

export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}

type Method = (view: ChainView, params: readonly unknown[]) => Buffer

const nullResult = Buffer.from("null")
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const contractCode = "0x6080604052348015600f57600080fd5b50603f80601d6000396000f3fe"

export const rpcMethods: Readonly<Record<string, Method>> = {
  web3_clientVersion: () => json("synthetic/1"),
  eth_syncing: () => json(false),
  eth_chainId: ({ chain }) => json(quantity(chain.options.chainId)),
  net_version: ({ chain }) => json(String(chain.options.chainId)),
  eth_blockNumber: ({ head }) => json(quantity(head)),
  eth_getBlockByNumber: (view, [tag, full]) => blockAt(view, heightOf(view, tag), full),
  eth_getBlockByHash: (view, [hash, full]) => blockAt(view, heightOfHash(view, hash), full),
  eth_getBlockReceipts: (view, [which]) => {
    const height = heightOfSelector(view, which)
    return height === undefined || height > view.head ? nullResult : view.chain.block(height, "receipts")
  },
  eth_getTransactionByHash: (view, [hash]) => transactionItem(view, hash, "full"),
  eth_getTransactionReceipt: (view, [hash]) => transactionItem(view, hash, "receipts"),
  eth_getLogs: (view, [filter]) => getLogs(view, filter),
  eth_getCode: ({ chain }, [address]) => json(chain.universe.contracts.has(lower(address)) ? contractCode : "0x"),
  eth_call: ({ chain }, [call]) => json(callContract(chain, call)),
}

const lower = (value: unknown): string => String(value).toLowerCase()

function heightOf(view: ChainView, tag: unknown): number {
  switch (tag) {
    case undefined:
    case null:
    case "latest":
    case "pending":
      return view.head
    case "finalized":
    case "safe":
      return view.finalized
    case "earliest":
      return 0
  }
  const height = typeof tag === "string" && /^0x[0-9a-f]+$/i.test(tag) ? Number(tag) : Number.NaN
  if (!Number.isSafeInteger(height)) throw new RpcError(-32602, `invalid block number or tag: ${JSON.stringify(tag)}`)
  return height
}

const heightOfHash = (view: ChainView, hash: unknown) => view.chain.heightOfHash(lower(hash), view.head)

/** A number, a tag, a hash, or an object with one of them (EIP-1898). */
function heightOfSelector(view: ChainView, which: unknown): number | undefined {
  if (typeof which === "object" && which !== null) {
    const { blockHash, blockNumber } = which as { blockHash?: unknown; blockNumber?: unknown }
    return blockHash === undefined ? heightOf(view, blockNumber) : heightOfHash(view, blockHash)
  }
  return typeof which === "string" && which.length === 66 ? heightOfHash(view, which) : heightOf(view, which)
}

function blockAt(view: ChainView, height: number | undefined, full: unknown): Buffer {
  if (height === undefined || height > view.head) return nullResult
  return view.chain.block(height, full === true ? "full" : "hashes")
}

function transactionItem(view: ChainView, hash: unknown, form: "full" | "receipts"): Buffer {
  const place = view.chain.findTransaction(lower(hash), view.head)
  if (place === undefined) return nullResult
  return itemAt(view.chain.block(place.height, form), place.index) ?? nullResult
}

interface LogQuery {
  readonly blockHash?: unknown
  readonly fromBlock?: unknown
  readonly toBlock?: unknown
  readonly address?: unknown
  readonly topics?: unknown
}

function getLogs(view: ChainView, query: unknown): Buffer {
  const { blockHash, fromBlock, toBlock, address, topics } = (query ?? {}) as LogQuery
  const only = blockHash === undefined ? undefined : heightOfHash(view, blockHash)
  if (blockHash !== undefined && only === undefined) throw new RpcError(-32000, "unknown block")
  const from = only ?? heightOf(view, fromBlock)
  const to = only ?? Math.min(heightOf(view, toBlock), view.head)
  const filter: LogFilter = {
    addresses: anyOf(address),
    topics: Array.isArray(topics) ? topics.map(anyOf) : [],
  }
  const pieces: Buffer[] = [Buffer.from("[")]
  for (let height = from; height <= to; height++) {
    for (const log of logsIn(view.chain.block(height, "receipts"), filter)) {
      if (pieces.length > 1) pieces.push(Buffer.from(","))
      pieces.push(log)
    }
  }
  pieces.push(Buffer.from("]"))
  return Buffer.concat(pieces)
}

function anyOf(wanted: unknown): ReadonlySet<string> | undefined {
  if (wanted === undefined || wanted === null) return undefined
  const list = Array.isArray(wanted) ? wanted : [wanted]
  return list.length === 0 ? undefined : new Set(list.map(lower))
}

const abiString = (text: string): string => {
  const bytes = Buffer.from(text)
  return `0x${word("20")}${word(bytes.length.toString(16))}${bytes.toString("hex").padEnd(64, "0")}`
}

function callContract(chain: Chain, call: unknown): string {
  const { to, data, input } = (call ?? {}) as { to?: unknown; data?: unknown; input?: unknown }
  const contract = chain.universe.contracts.get(lower(to))
  if (contract === undefined) return "0x"
  switch (lower(input ?? data).slice(0, 10)) {
    case "0x06fdde03":
      return abiString(contract.name)
    case "0x95d89b41":
      return abiString(contract.symbol)
    case "0x313ce567":
      return `0x${word(contract.decimals.toString(16))}`
    default:
      return "0x"
  }
}
