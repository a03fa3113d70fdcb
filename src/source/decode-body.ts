// Decompresses an answer, with a bound on what comes out: a small body may stand for gigabytes.

import { promisify } from "node:util"
import { brotliDecompress, gunzip, inflate } from "node:zlib"
import { IndexerError } from "../platform/errors.js"

const decoders = {
  br: promisify(brotliDecompress),
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
} as const

export const acceptedEncodings = "gzip, br"

export async function decodeBody(body: Buffer, encoding: string, maxBytes: number): Promise<Buffer> {
  const name = encoding.trim().toLowerCase()
  if (name === "" || name === "identity" || body.length === 0) return body
  if (!Object.hasOwn(decoders, name)) throw unreadable(name)
  try {
    return await decoders[name as keyof typeof decoders](body, { maxOutputLength: maxBytes })
  } catch (error) {
    throw (error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE" ? tooLarge(maxBytes) : unreadable(name)
  }
}

export const tooLarge = (maxBytes: number): IndexerError =>
  new IndexerError(
    "RPC_RESPONSE_TOO_LARGE",
    `the answer is larger than the limit of ${maxBytes} bytes; fewer blocks are requested at once`,
  )

const unreadable = (encoding: string): IndexerError =>
  new IndexerError("RPC_BAD_RESPONSE", `the answer cannot be decompressed (${encoding.slice(0, 20)})`)
