// Recomputes logs blooms from logs as hex text and compares them with those of the node. The three bits of an
// address or topic cost a hash, so a direct-mapped cache keeps them: a new key replaces the one in its place.

import { isObject, type ReceiptJson } from "./block-json.js"
import { readLowerHex } from "./hex-text.js"
import { keccakOfWords } from "./keccak.js"

const textLength = 2 + 512
const emptyBloom = `0x${"0".repeat(512)}`
const hexCharacter = Buffer.from("0123456789abcdef", "latin1")
/** Cached addresses and topics: a power of two, 40 bytes each. */
const defaultRemembered = 65_536
/** Of four bytes: eight make a topic, five an address. */
const keyWords = 8
/** Three bits, and how many words the key has. */
const placeBits = 4

class BloomText {
  readonly text = Buffer.alloc(textLength, "0")
  readonly #digits = new Uint8Array(textLength)

  constructor() {
    this.text[1] = 0x78
  }

  set(bit: number): void {
    const at = bit >>> 2
    const digit = this.#digits[at]! | (1 << (bit & 3))
    this.#digits[at] = digit
    this.text[at] = hexCharacter[digit]!
  }

  take(): string {
    const text = this.text.toString("latin1")
    this.text.fill(0x30, 2)
    this.#digits.fill(0)
    return text
  }
}

export interface BloomReport {
  /** What is wrong with the logs' shape, so that they have no bloom; undefined when they are well-formed. */
  readonly malformed: string | undefined
  /** Index of the first receipt whose bloom is not that of its logs, -1 when there is none. */
  readonly firstWrong: number
  /** Receipts whose text is not exactly the canonical bloom of their logs. Undefined when there is none. */
  readonly inexact: ReadonlySet<number> | undefined
  /** The canonical bloom of the whole block. */
  readonly header: string
  /** The same without the logs of unrooted transactions: what the header should have. */
  readonly rooted: string
  /** Every address and topic is in lower case. */
  readonly canonical: boolean
}

export class BloomReader {
  readonly #one = new BloomText()
  readonly #all = new BloomText()
  readonly #mask: number
  /** The cached keys as bytes: strings would burden the garbage collector. */
  readonly #keys: Int32Array
  /**
   * For each key three times (position in the bloom's text << 2 | bit of the digit), then the number of its words, 0
   * in a free place.
   */
  readonly #bits: Uint16Array
  /** The current address or topic, as bytes and as words. */
  readonly #bytes = new Uint8Array(4 * keyWords)
  readonly #words = new Int32Array(this.#bytes.buffer)
  #canonical = true

  constructor(remembered = defaultRemembered) {
    this.#mask = remembered - 1
    this.#keys = new Int32Array(keyWords * remembered)
    this.#bits = new Uint16Array(placeBits * remembered)
  }

  /** Computes the blooms of a block's logs. */
  read(receipts: readonly (ReceiptJson | undefined)[], unrooted?: ReadonlySet<number>): BloomReport {
    this.#canonical = true
    let firstWrong = -1
    let inexact: Set<number> | undefined
    let malformed: string | undefined
    for (let i = 0; i < receipts.length && malformed === undefined; i++) {
      const receipt = receipts[i]
      if (receipt === undefined) continue
      const { logs, logsBloom } = receipt
      let bloom = emptyBloom
      if (!Array.isArray(logs)) malformed = `receipt ${i} has no list of logs`
      else if (logs.length > 0) {
        for (let k = 0; k < logs.length && malformed === undefined; k++) malformed = this.#add(logs[k], i)
        bloom = this.#one.take()
      }
      if (logsBloom === bloom) continue
      inexact ??= new Set()
      inexact.add(i)
      if (firstWrong < 0 && !(typeof logsBloom === "string" && logsBloom.toLowerCase() === bloom)) firstWrong = i
    }
    const header = this.#all.take()
    const rooted = unrooted === undefined || malformed !== undefined ? header : this.#without(receipts, unrooted)
    return { malformed, firstWrong, inexact, header, rooted, canonical: this.#canonical }
  }

  /** The bloom of these logs. */
  textOf(logs: Iterable<{ readonly address: string | null; readonly topics: readonly string[] }>): string {
    for (const log of logs) {
      if (log.address !== null) this.#set(log.address)
      for (const topic of log.topics) this.#set(topic)
    }
    this.#all.take()
    return this.#one.take()
  }

  #without(receipts: readonly (ReceiptJson | undefined)[], unrooted: ReadonlySet<number>): string {
    const logs = receipts.flatMap((receipt, i) => (unrooted.has(i) ? [] : (receipt?.logs ?? [])))
    const lower = (hex: string) => hex.toLowerCase()
    return this.textOf(logs.map(({ address, topics }) => ({ address: lower(address), topics: topics.map(lower) })))
  }

  #add(log: unknown, receipt: number): string | undefined {
    if (!isObject(log)) return `receipt ${receipt} has a log that is no object`
    const { address, topics } = log as { address?: unknown; topics?: unknown }
    if (!this.#addHex(address, 20)) return `receipt ${receipt} has a log whose address is not 20 bytes`
    if (!Array.isArray(topics) || topics.length > 4) {
      return `receipt ${receipt} has a log without a list of up to 4 topics`
    }
    for (let i = 0; i < topics.length; i++) {
      if (!this.#addHex(topics[i], 32)) return `receipt ${receipt} has a topic that is not 32 bytes`
    }
    return undefined
  }

  #addHex(hex: unknown, bytes: number): boolean {
    if (typeof hex !== "string" || hex.length !== 2 + 2 * bytes) return false
    if (!readLowerHex(hex, this.#bytes)) {
      if (!readLowerHex((hex as string).toLowerCase(), this.#bytes)) return false
      this.#canonical = false
    }
    this.#setWords(bytes)
    return true
  }

  #set(hex: string): void {
    readLowerHex(hex, this.#bytes)
    this.#setWords((hex.length - 2) >> 1)
  }

  /** Sets the bits of the current words. */
  #setWords(bytes: number): void {
    const words = this.#words
    const count = bytes >> 2
    // From both ends: addresses and numbers differ in their last bytes, short texts in their first.
    const mixed = Math.imul(words[count - 1]! ^ Math.imul(words[count - 2]!, 31) ^ words[0]!, 0x9e3779b1)
    const place = (mixed ^ (mixed >>> 15)) & this.#mask
    if (!this.#holds(place, count)) this.#remember(place, count)
    const bits = this.#bits
    for (let i = placeBits * place; i < placeBits * place + 3; i++) {
      const bit = bits[i]!
      this.#one.set(bit)
      this.#all.set(bit)
    }
  }

  #holds(place: number, count: number): boolean {
    if (this.#bits[placeBits * place + 3] !== count) return false
    const keys = this.#keys
    const words = this.#words
    const at = keyWords * place
    let different = 0
    for (let i = 0; i < count; i++) different |= keys[at + i]! ^ words[i]!
    return different === 0
  }

  #remember(place: number, count: number): void {
    const words = this.#words
    for (let i = 0; i < count; i++) this.#keys[keyWords * place + i] = words[i]!
    this.#bits[placeBits * place + 3] = count
    const digest = keccakOfWords(words, count)
    for (let i = 0; i < 3; i++) {
      const bit = ((digest[2 * i]! << 8) | digest[2 * i + 1]!) & 2047
      // The highest bit comes first; a digit holds four.
      const position = 2 + (511 - (bit >>> 2))
      this.#bits[placeBits * place + i] = (position << 2) | (bit & 3)
    }
  }
}
