// Fetches blocks with their receipts from one provider in one request: eth_getBlockByNumber and eth_getBlockReceipts
// for each height. A node that keeps refusing the latter is asked for each receipt.

import type { BlockRange } from "../../../domain/block-range.js"
import type { Hex } from "../../../domain/linked-block.js"
import { IndexerError, isIndexerError } from "../../../platform/errors.js"
import type { FetchOptions } from "../../../source/block-source.js"
import { type BlockJson, type FetchedBlock, isObject, type ReceiptJson } from "./block-json.js"
import { quantityText, quantityValue, toHexBytes } from "./hex-text.js"
import type { JsonRpcClient } from "./json-rpc-client.js"
import type { RpcAnswer, RpcCall, RpcReply } from "./json-rpc-reply.js"
import { refusalKind, saysPruned } from "./refusals.js"

/** The answer for a range of heights, parsed only when it is read. */
export interface FetchedBatch {
  readonly range: BlockRange
  readonly provider: JsonRpcClient
  readonly bytes: number
  /** The block at a height of the range. Throws an IndexerError when the answer has no such block. */
  block(height: number): FetchedBlock
  /** The hash of the block below, if requested; undefined when the answer has none. */
  parent(): Hex | undefined
  /** Releases the memory. No block may be read afterwards. */
  release(): void
}

const receiptsMethod = "eth_getBlockReceipts"
const receiptsPerRequest = 100

export interface FetchBlocksOptions extends FetchOptions {
  /** Requests the header of the block below the range as well. */
  readonly withParent?: boolean | undefined
  /** Accepts no block up to this height from a provider that reports a lower final height. */
  readonly finalTo?: number | undefined
}

export function fetchBlocks(
  provider: JsonRpcClient,
  range: BlockRange,
  options: FetchBlocksOptions,
): Promise<FetchedBatch> {
  return provider.receipts.isMissing
    ? fetchByTransaction(provider, range, options)
    : fetchByBlock(provider, range, options)
}

async function fetchByBlock(
  provider: JsonRpcClient,
  range: BlockRange,
  options: FetchBlocksOptions,
): Promise<FetchedBatch> {
  const calls: RpcCall[] = []
  for (let height = range.from; height < range.to; height++) {
    calls.push(blockCall(height, true), { method: receiptsMethod, params: [quantityText(height)] })
  }
  const count = range.to - range.from
  // Last, so that the positions of the others do not change.
  if (options.withParent) calls.push(blockCall(range.from - 1))
  const lastFinal = lastFinalIn(range, options)
  if (lastFinal !== undefined) calls.push(blockCall("finalized"))
  const reply = await postNoting(provider, calls, options)
  if (reply === undefined) return fetchByTransaction(provider, range, options)
  if (lastFinal !== undefined) assertFinal(provider, lastFinal, reply.answer(calls.length - 1))
  // Seen before anything is consumed: more requests would be under way by then.
  // The first and the last: nodes that keep recent blocks only often have block 0 too.
  for (const i of [0, count - 1]) {
    const answer = reply.shortAnswer(2 * i)
    if (answer === undefined || !isPruned(answer, range.from + i, lastFinal)) continue
    provider.pruned.note(range.from + i)
    throw missing(provider, range.from + i, "block")
  }
  for (let i = 0; i < count; i++) {
    const { error } = reply.shortAnswer(2 * i + 1) ?? { error: null }
    if (error === null || refusalKind(error) !== undefined) break
    if (provider.receipts.refused(error.code)) return fetchByTransaction(provider, range, options)
  }
  const exact = once(() => reply.readExact())
  return {
    range,
    provider,
    bytes: reply.bytes,
    parent: () => (options.withParent ? hashIn(() => reply.answer(2 * count)) : undefined),
    release: () => reply.release(),
    block: (height) => {
      const i = height - range.from
      const block = readBlock(provider, height, reply.answer(2 * i))
      return {
        height,
        block,
        receipts: readReceipts(provider, height, block, reply.answer(2 * i + 1)),
        bytes: Math.ceil(reply.bytes / count),
        provider: provider.label,
        exact: () => ({
          block: exact()[2 * i]!.value as BlockJson,
          receipts: (exact()[2 * i + 1]!.value ?? []) as ReceiptJson[],
        }),
      }
    },
  }
}

/** A gateway may refuse the method with an HTTP status, and answers no call of the batch. Undefined when it did so again. */
async function postNoting(
  provider: JsonRpcClient,
  calls: readonly RpcCall[],
  options: FetchOptions,
): Promise<RpcReply | undefined> {
  try {
    return await provider.post(calls, options)
  } catch (error) {
    const isRefusal = isIndexerError(error, "RPC_ERROR") || isIndexerError(error, "RPC_BAD_RESPONSE")
    if (isRefusal && error.data["method"] === receiptsMethod && provider.receipts.refused(null)) return undefined
    throw error
  }
}

async function fetchByTransaction(
  provider: JsonRpcClient,
  range: BlockRange,
  options: FetchBlocksOptions,
): Promise<FetchedBatch> {
  const heights = Array.from({ length: range.to - range.from }, (_, i) => range.from + i)
  const blockCalls = heights.map((height) => blockCall(height, true))
  if (options.withParent) blockCalls.push(blockCall(range.from - 1))
  const lastFinal = lastFinalIn(range, options)
  if (lastFinal !== undefined) blockCalls.push(blockCall("finalized"))
  const reply = await provider.post(blockCalls, options)
  const answers = reply.read()
  if (lastFinal !== undefined) assertFinal(provider, lastFinal, answers.at(-1)!)
  const blocks = heights.map((height, i) => readBlock(provider, height, answers[i]!))
  const calls = blocks.flatMap((block) =>
    block.transactions.map((tx): RpcCall => ({ method: "eth_getTransactionReceipt", params: [tx?.hash] })),
  )
  const replies: RpcReply[] = []
  for (let at = 0; at < calls.length; at += receiptsPerRequest) {
    replies.push(await provider.post(calls.slice(at, at + receiptsPerRequest), options))
  }
  const bytes = replies.reduce((sum, each) => sum + each.bytes, reply.bytes)
  const receipts = once(() => replies.flatMap((each) => each.read()))
  const exactBlocks = once(() => reply.readExact())
  const exactReceipts = once(() => replies.flatMap((each) => each.readExact()))
  return {
    range,
    provider,
    bytes,
    parent: () => (options.withParent ? hashIn(() => answers[heights.length]!) : undefined),
    release: () => undefined,
    block: (height) => {
      const i = height - range.from
      const block = blocks[i]!
      const first = blocks.slice(0, i).reduce((sum, { transactions }) => sum + transactions.length, 0)
      const last = first + block.transactions.length
      return {
        height,
        block,
        receipts: receipts()
          .slice(first, last)
          .map((answer) => readReceipt(provider, height, answer)),
        bytes: Math.ceil(bytes / blocks.length),
        provider: provider.label,
        exact: () => ({
          block: exactBlocks()[i]!.value as BlockJson,
          receipts: exactReceipts()
            .slice(first, last)
            .map((answer) => answer.value as ReceiptJson),
        }),
      }
    },
  }
}

export const blockCall = (block: number | "latest" | "finalized", withTransactions = false): RpcCall => ({
  method: "eth_getBlockByNumber",
  params: [typeof block === "number" ? quantityText(block) : block, withTransactions],
})

function lastFinalIn(range: BlockRange, { finalTo }: FetchBlocksOptions): number | undefined {
  return finalTo === undefined || finalTo < range.from ? undefined : Math.min(finalTo, range.to - 1)
}

/** A provider that reports no final height passes. */
function assertFinal(provider: JsonRpcClient, lastFinal: number, { value }: RpcAnswer): void {
  const height = isObject(value) ? quantityValue(value["number"]) : -1
  if (height >= 0 && height < lastFinal)
    throw new IndexerError(
      "RPC_BLOCK_MISSING",
      `${provider.label} has final blocks up to ${height} only, not block ${lastFinal}; it lags behind`,
      { height: lastFinal, data: { provider: provider.label } },
    )
}

/** A missing hash does not fail the batch: a caller that needs it requests the block by itself. */
function hashIn(answer: () => RpcAnswer): Hex | undefined {
  try {
    const { value } = answer()
    return (isObject(value) && toHexBytes(value["hash"], 32)) || undefined
  } catch (error) {
    if (isIndexerError(error)) return undefined
    throw error
  }
}

const missing = (provider: JsonRpcClient, height: number, what: string): IndexerError =>
  new IndexerError("RPC_BLOCK_MISSING", `${provider.label} has no ${what} ${height}; it may lag behind`, {
    height,
    data: { provider: provider.label },
  })

function readBlock(provider: JsonRpcClient, height: number, answer: RpcAnswer): BlockJson {
  if (answer.error !== null) throw provider.callError("eth_getBlockByNumber", answer.error)
  if (answer.value === null) throw missing(provider, height, "block")
  if (!isObject(answer.value) || !Array.isArray(answer.value["transactions"])) {
    throw new IndexerError("RPC_BAD_RESPONSE", `${provider.label} answered no block for height ${height}`, {
      height,
    })
  }
  return answer.value as unknown as BlockJson
}

/** No block where the provider has final ones above, or it says so: it keeps recent ones only. */
const isPruned = ({ value, error }: RpcAnswer, height: number, lastFinal: number | undefined): boolean =>
  error === null ? value === null && lastFinal !== undefined && height <= lastFinal : saysPruned(error)

function readReceipts(
  provider: JsonRpcClient,
  height: number,
  block: BlockJson,
  answer: RpcAnswer,
): readonly ReceiptJson[] {
  if (answer.error !== null) {
    const error = provider.callError(receiptsMethod, answer.error)
    if (refusalKind(answer.error) === undefined) provider.receipts.refused(answer.error.code)
    throw error
  }
  if (answer.value === null) {
    if (block.transactions.length === 0) return []
    provider.receipts.refused(null)
    throw missing(provider, height, "receipts of block")
  }
  provider.receipts.answered()
  if (!Array.isArray(answer.value) || !answer.value.every(isObject)) {
    throw new IndexerError("RPC_BAD_RESPONSE", `${provider.label} answered no receipts for block ${height}`, {
      height,
    })
  }
  return answer.value as unknown as ReceiptJson[]
}

function readReceipt(provider: JsonRpcClient, height: number, answer: RpcAnswer): ReceiptJson {
  if (answer.error !== null) throw provider.callError("eth_getTransactionReceipt", answer.error)
  if (!isObject(answer.value)) throw missing(provider, height, "receipt of a transaction in block")
  return answer.value as unknown as ReceiptJson
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
