// JSON-RPC to the demo's node. The results of a batch have the order of its calls; the node may run them in any order.

import { Pool } from "undici"
import { IndexerError } from "../platform/errors.js"

export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

export type RpcOutcome =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }

type RpcAnswer = RpcOutcome & { readonly id: number }

export class AnvilRpc {
  readonly #pool: Pool

  constructor(httpUrl: string, options: { readonly timeoutMs?: number } = {}) {
    const timeoutMs = options.timeoutMs ?? 30_000
    this.#pool = new Pool(httpUrl, {
      connections: 2,
      connectTimeout: timeoutMs,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    })
  }

  async call<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    const answer = (await this.#post({ jsonrpc: "2.0", id: 0, method, params })) as RpcAnswer
    return resultOf({ method, params }, answer) as T
  }

  async batch(calls: readonly RpcCall[]): Promise<RpcOutcome[]> {
    if (calls.length === 0) return []
    const answers = (await this.#post(
      calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params })),
    )) as RpcAnswer[]
    const outcomes: RpcOutcome[] = []
    for (const answer of answers) outcomes[answer.id] = answer
    return calls.map((call, i) => outcomes[i] ?? { error: { code: 0, message: `${call.method} was not answered` } })
  }

  /** As `batch`, where every call has to succeed. */
  async callAll<T>(calls: readonly RpcCall[]): Promise<T[]> {
    const outcomes = await this.batch(calls)
    return outcomes.map((outcome, i) => resultOf(calls[i]!, outcome) as T)
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }

  async #post(body: unknown): Promise<unknown> {
    try {
      const response = await this.#pool.request({
        path: "/",
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      })
      return await response.body.json()
    } catch (cause) {
      throw new IndexerError("RPC_UNREACHABLE", "the demo chain's node did not answer", { cause })
    }
  }
}

function resultOf(call: RpcCall, outcome: RpcOutcome): unknown {
  if (!("error" in outcome)) return outcome.result
  const { code, message } = outcome.error
  throw new IndexerError("RPC_ERROR", `the demo chain's node rejected ${call.method}: ${message}`, {
    data: { code },
  })
}
