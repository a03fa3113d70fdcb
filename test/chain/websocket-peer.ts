// The server side of one WebSocket (RFC 6455): text messages in and out, ping and close answered. Enough for JSON-RPC
// and newHeads: no extensions, and messages of at most 16 MiB.

import { createHash } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"

const handshakeSalt = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
const maxMessageBytes = 16 * 1024 * 1024
const opcodes = { continuation: 0, text: 1, close: 8, ping: 9, pong: 10 } as const

export class WebSocketPeer {
  onText: (text: string) => void = () => undefined
  readonly #socket: Duplex
  #received: Buffer = Buffer.alloc(0)
  #message: Buffer[] = []

  /** Accepts the upgrade, or refuses it and answers undefined. */
  static accept(request: IncomingMessage, socket: Duplex): WebSocketPeer | undefined {
    const key = request.headers["sec-websocket-key"]
    if (key === undefined) {
      socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n")
      return undefined
    }
    const accept = createHash("sha1")
      .update(key + handshakeSalt)
      .digest("base64")
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    )
    return new WebSocketPeer(socket)
  }

  private constructor(socket: Duplex) {
    this.#socket = socket
    socket.on("data", (chunk: Buffer) => this.#receive(chunk))
    socket.on("error", () => socket.destroy())
  }

  onClose(listener: () => void): void {
    this.#socket.once("close", listener)
  }

  send(payload: Buffer): void {
    this.#write(opcodes.text, payload)
  }

  close(): void {
    if (!this.#socket.writable) return
    this.#write(opcodes.close, Buffer.from([3, 232]))
    this.#socket.end()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #write(opcode: number, payload: Buffer): void {
    if (!this.#socket.writable) return
    const { length } = payload
    const header = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10)
    header[0] = 0x80 | opcode
    header[1] = length < 126 ? length : length < 65_536 ? 126 : 127
    if (header.length === 4) header.writeUInt16BE(length, 2)
    if (header.length === 10) header.writeBigUInt64BE(BigInt(length), 2)
    this.#socket.write(Buffer.concat([header, payload]))
  }

  #receive(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk])
    for (let frame = this.#nextFrame(); frame !== undefined; frame = this.#nextFrame()) {
      if (frame.opcode === opcodes.ping) this.#write(opcodes.pong, frame.payload)
      else if (frame.opcode === opcodes.close) this.close()
      else if (frame.opcode === opcodes.text || frame.opcode === opcodes.continuation) this.#gather(frame)
    }
  }

  #gather(frame: { readonly last: boolean; readonly payload: Buffer }): void {
    this.#message.push(frame.payload)
    if (!frame.last) return
    const text = Buffer.concat(this.#message).toString()
    this.#message = []
    this.onText(text)
  }

  #nextFrame() {
    const bytes = this.#received
    if (bytes.length < 2) return undefined
    const short = bytes[1]! & 0x7f
    const start = short === 126 ? 4 : short === 127 ? 10 : 2
    if (bytes.length < start + 4) return undefined
    const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
    if (length > maxMessageBytes) {
      this.destroy()
      return undefined
    }
    const end = start + 4 + length
    if (bytes.length < end) return undefined
    // Clients always mask.
    const mask = bytes.subarray(start, start + 4)
    const payload = Buffer.from(bytes.subarray(start + 4, end))
    for (let at = 0; at < payload.length; at++) payload[at]! ^= mask[at & 3]!
    this.#received = bytes.subarray(end)
    return { last: (bytes[0]! & 0x80) !== 0, opcode: bytes[0]! & 0x0f, payload }
  }
}
