// Answers as Etherscan's clients parse them: status and message are texts, and an empty list has a message of its own.

import type { Completeness, EtherscanAnswer } from "../../queries/etherscan/etherscan-action.js"
import { EtherscanError } from "../../queries/etherscan/etherscan-error.js"

const rpcId = 1
const defaultRpcCode = -32_000
/** Of gaps in a header. */
const mostGaps = 20

export function answerText(answer: EtherscanAnswer): string {
  if (answer.kind === "rpc") return `{"jsonrpc":"2.0","id":${rpcId},"result":${answer.json}}`
  if (answer.kind === "value") return JSON.stringify({ status: "1", message: "OK", result: answer.value })
  if (answer.rows.length > 0) return JSON.stringify({ status: "1", message: "OK", result: answer.rows })
  const result = answer.none === "No data found" ? null : []
  return JSON.stringify({ status: "0", message: answer.none, result })
}

export const refusalText = (reason: string): string =>
  JSON.stringify({ status: "0", message: "NOTOK", result: reason })

/** Clients wait a moment and ask again when they read this. */
export const throttledText = (limit: string): string => refusalText(`Max rate limit reached, ${limit}`)

export function rpcErrorText(error: unknown, message: string): string {
  const { code, data } = error instanceof EtherscanError ? error : {}
  const own = { code: code ?? defaultRpcCode, message, ...(data === undefined ? {} : { data }) }
  return JSON.stringify({ jsonrpc: "2.0", id: rpcId, error: own })
}

/** What the format has no place for. */
export function completenessHeaders({ watermark, gaps }: Completeness): Record<string, string> {
  const shown = gaps.slice(0, mostGaps).map(({ from, to }) => `${from}-${to - 1}`)
  return {
    "x-tidemark-watermark": watermark === null ? "none" : String(watermark),
    "x-tidemark-partial": String(gaps.length > 0),
    ...(gaps.length > 0
      ? { "x-tidemark-gaps": [...shown, ...(gaps.length > mostGaps ? ["more"] : [])].join(",") }
      : {}),
  }
}
