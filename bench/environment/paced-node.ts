// Stands before a node and lets requests for old blocks through at a steady pace, all others at once: as a node does that has
// much to do besides serving history, and so that a short history lasts.

import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { Pool } from "undici"
import { systemClock } from "../../src/platform/clock.js"
import { onStop } from "./stop-all.js"

export interface PacedNodeOptions {
  readonly url: string
  /** Lower heights are history. */
  readonly below: number
  readonly blocksPerSecond: number
}

interface Call {
  readonly method: string
  readonly params?: readonly unknown[]
}

/** The URL to ask instead. */
export async function startPacedNode({ url, below, blocksPerSecond }: PacedNodeOptions): Promise<string> {
  const node = new Pool(url, { connections: 32 })
  let next = 0
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const body = await read(request)
      const blocks = oldBlocks(body, below)
      if (blocks > 0) {
        const due = Math.max(next, performance.now())
        next = due + (blocks / blocksPerSecond) * 1_000
        await systemClock.sleep(due - performance.now())
      }
      const { statusCode, body: answered } = await node.request({
        path: "/",
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      })
      response.writeHead(statusCode, { "content-type": "application/json" })
      response.end(Buffer.from(await answered.arrayBuffer()))
    }
    answer().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onStop(async () => {
    server.closeAllConnections()
    server.close()
    await node.destroy()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function oldBlocks(body: Buffer, below: number): number {
  const parsed = JSON.parse(body.toString()) as Call | readonly Call[]
  const calls = Array.isArray(parsed) ? (parsed as readonly Call[]) : [parsed as Call]
  return calls.filter(({ method, params }) => {
    if (method !== "eth_getBlockByNumber") return false
    const [height] = params ?? []
    return typeof height === "string" && height.startsWith("0x") && Number(height) < below
  }).length
}
