// The JSON-RPC methods of the synthetic node, each from parameters to rendered result bytes.

import { quantity, word } from "./hex.js"
import { receiptAt } from "./json-spans.js"
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
  eth_chainId: ({ chain }) => json(quantity(chain.options.chainId)),
  net_version: ({ chain }) => json(String(chain.options.chainId)),
  eth_blockNumber: ({ head }) => json(quantity(head)),
  eth_getBlockByNumber: (view, [tag, full]) => blockAt(view, heightOf(view, tag), full),
  eth_getBlockByHash: (view, [hash, full]) => blockAt(view, heightOfHash(view, hash), full),
  eth_getBlockReceipts: (view, [which]) => {
    const height = heightOfSelector(view, which)
    return height === undefined || height > view.head ? nullResult : view.chain.block(height, "receipts")
  },
  eth_getTransactionReceipt: (view, [hash]) => {
    const place = view.chain.findTransaction(lower(hash), view.head)
    return place === undefined ? nullResult : receiptAt(view.chain.block(place.height, "receipts"), place.index)
  },
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
