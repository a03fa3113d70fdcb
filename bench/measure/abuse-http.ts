// Clients that no server wants: sockets that send their headers byte by byte, and bodies of 10 MB.

import { connect, type Socket } from "node:net"

interface Abuse {
  readonly sockets: number
  /** How many of either were turned away so far. */
  readonly ended: { slow: number; bodies: number }
  stop(): void
}

const dripMs = 500
const bodyBytes = 10_000_000
const bodiesAtOnce = 8

export function abuseHttp({ port, sockets }: { readonly port: number; readonly sockets: number }): Abuse {
  let isOver = false
  const open = new Set<Socket>()
  const ended = { slow: 0, bodies: 0 }
  const to = (count: "slow" | "bodies", again: () => void): Socket => {
    const socket = connect(port, "127.0.0.1")
    open.add(socket)
    socket.on("error", () => undefined)
    socket.on("data", () => undefined)
    socket.on("close", () => {
      open.delete(socket)
      ended[count]++
      if (!isOver) again()
    })
    return socket
  }
  const slow = (): void => {
    const socket = to("slow", slow)
    socket.write("GET /v1/chains HTTP/1.1\r\nhost: x\r\nx-slow: ")
    const drip = setInterval(() => socket.write("a"), dripMs)
    socket.on("close", () => clearInterval(drip))
  }
  const piece = Buffer.alloc(64 * 1024, 0x20)
  const body = (): void => {
    const socket = to("bodies", () => setTimeout(body, dripMs))
    socket.write(
      `POST /v1/chains HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${bodyBytes}\r\n\r\n`,
    )
    let left = bodyBytes
    const fill = (): void => {
      while (left > 0 && !socket.destroyed) {
        left -= piece.length
        if (!socket.write(piece)) return
      }
    }
    socket.on("drain", fill)
    fill()
  }
  for (let i = 0; i < sockets; i++) slow()
  for (let i = 0; i < bodiesAtOnce; i++) body()
  return {
    sockets,
    ended,
    stop: () => {
      isOver = true
      for (const socket of open) socket.destroy()
    },
  }
}
