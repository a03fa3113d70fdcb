// From the text of a JSON-RPC request, single or batch, to the pieces of its answer. Results are passed through as
// the bytes the chain keeps.

import { type ChainView, RpcError, rpcMethods } from "./rpc-methods.js"

export interface RpcAnswererOptions {
  /** False: eth_getBlockReceipts is answered with -32601, as by nodes that lack it. */
  readonly receiptsMethod?: boolean
  /** Longer batches are refused as a whole. 0: no limit. */
  readonly maxBatch?: number
  readonly onCall?: (method: string) => void
}

interface Call {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
}

const closing = Buffer.from("}")

export class RpcAnswerer {
  readonly #view: () => ChainView
  readonly #options: RpcAnswererOptions

  constructor(view: () => ChainView, options: RpcAnswererOptions = {}) {
    this.#view = view
    this.#options = options
  }

  answer(text: string): Buffer[] {
    let request: unknown
    try {
      request = JSON.parse(text)
    } catch {
      return [errorAnswer(null, -32700, "parse error")]
    }
    if (!Array.isArray(request)) return this.#one(request as Call)
    if (request.length === 0) return [errorAnswer(null, -32600, "empty batch")]
    const maxBatch = this.#options.maxBatch ?? 0
    if (maxBatch > 0 && request.length > maxBatch) {
      return [errorAnswer(null, -32600, `batch of ${request.length} calls is too large; the limit is ${maxBatch}`)]
    }
    const pieces: Buffer[] = []
    request.forEach((call: Call, index) => {
      pieces.push(Buffer.from(index === 0 ? "[" : ","), ...this.#one(call))
    })
    pieces.push(Buffer.from("]"))
    return pieces
  }

  #one(call: Call): Buffer[] {
    const method = String(call?.method)
    this.#options.onCall?.(method)
    const id = call?.id ?? null
    try {
      const answer = Object.hasOwn(rpcMethods, method) ? rpcMethods[method] : undefined
      const refused = method === "eth_getBlockReceipts" && this.#options.receiptsMethod === false
      if (answer === undefined || refused) {
        throw new RpcError(-32601, `the method ${method} does not exist or is not available`)
      }
      const result = answer(this.#view(), Array.isArray(call.params) ? call.params : [])
      return [Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`), result, closing]
    } catch (error) {
      // Anything else is a bug of this server and has to be seen.
      if (!(error instanceof RpcError)) throw error
      return [errorAnswer(id, error.code, error.message)]
    }
  }
}

const errorAnswer = (id: unknown, code: number, message: string): Buffer =>
  Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }))
