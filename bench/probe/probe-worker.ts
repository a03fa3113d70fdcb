// Fetch, JSON.parse and encode, in a thread of its own. Requests run ahead of what is encoded, encoded ranges run ahead
// of what is written, both by a fixed number.

import { parentPort, workerData } from "node:worker_threads"
import { Pool } from "undici"
import { type ProbeBlock, type ProbeReceipt, RowEncoder } from "./encode-rows.js"

export interface ProbeInput {
  readonly rpcUrl: string
  /** Heights [0, blocks). */
  readonly blocks: number
  readonly rangeBlocks: number
  readonly batchBlocks: number
  readonly requests: number
}

/** One transaction's rows, in the order of `copyTargets`. */
export type ProbeRange = readonly Uint8Array[]

const port = parentPort!
const { rpcUrl, blocks, rangeBlocks, batchBlocks, requests } = workerData as ProbeInput
const pool = new Pool(rpcUrl, { connections: requests, pipelining: 1, bodyTimeout: 0, headersTimeout: 0 })
const headers = { "content-type": "application/json" }
const maxRangesAhead = 3

function post(body: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let whole = Buffer.alloc(0)
    let at = 0
    pool.dispatch(
      { path: "/", method: "POST", headers, body },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, _status, given) => {
          whole = Buffer.allocUnsafeSlow(Number(given["content-length"]))
        },
        onResponseData: (_controller, chunk) => {
          whole.set(chunk, at)
          at += chunk.length
        },
        onResponseEnd: () => resolve(whole),
        onResponseError: (_controller, error) => reject(error),
      },
    )
  })
}

function fetchBatch(from: number): Promise<Buffer> {
  const to = Math.min(from + batchBlocks, rangeEnd(from))
  let text = "["
  for (let height = from; height < to; height++) {
    const hex = `0x${height.toString(16)}`
    text += `${height > from ? "," : ""}{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["${hex}",true]},{"jsonrpc":"2.0","id":1,"method":"eth_getBlockReceipts","params":["${hex}"]}`
  }
  return post(`${text}]`)
}

const rangeEnd = (height: number): number => Math.min(blocks, (Math.floor(height / rangeBlocks) + 1) * rangeBlocks)
const batchEnd = (from: number): number => Math.min(from + batchBlocks, rangeEnd(from))

let ahead = 0
let written: () => void = () => undefined
port.on("message", () => {
  ahead--
  written()
})

const encoder = new RowEncoder()
const batches: Promise<Buffer>[] = []
let next = 0
for (let from = 0; from < blocks; from = batchEnd(from)) {
  while (batches.length < requests && next < blocks) {
    batches.push(fetchBatch(next))
    next = batchEnd(next)
  }
  const reply = await batches.shift()!
  const answers = JSON.parse(reply.toString("latin1")) as { result: unknown }[]
  for (let i = 0; i < answers.length; i += 2) {
    encoder.add(answers[i]!.result as ProbeBlock, answers[i + 1]!.result as ProbeReceipt[])
  }
  if (batchEnd(from) < rangeEnd(from)) continue
  const range: ProbeRange = encoder.take()
  port.postMessage(
    range,
    range.map(({ buffer }) => buffer as ArrayBuffer),
  )
  ahead++
  while (ahead >= maxRangesAhead) {
    await new Promise<void>((resolve) => {
      written = resolve
    })
  }
}
port.postMessage("done")
await pool.destroy()
