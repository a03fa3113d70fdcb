// Logs blooms, recomputed from logs as hex text and compared with what the node sent. The three bits of an address or
// topic cost a hash, so they are remembered in a table with one place for each; a newcomer takes the place it needs.

import { isObject, type ReceiptJson } from "./block-json.js"
import { isFixedHex } from "./hex-text.js"
import { keccakOfHex } from "./keccak.js"

const textLength = 2 + 512
const emptyBloom = `0x${"0".repeat(512)}`
const hexCharacter = Buffer.from("0123456789abcdef", "latin1")
/** Addresses and topics remembered: a power of two, some 15 MB when all are taken. */
const defaultRemembered = 131_072

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
  /** Undefined, or what is wrong with the logs' shape: no bloom can be made of them. */
  readonly malformed: string | undefined
  /** Index of the first receipt whose bloom differs from its logs', -1 when all agree. */
  readonly firstWrong: number
  /** Bit i: receipt i's text is exactly the canonical bloom of its logs. Undefined when all are. */
  readonly inexact: ReadonlySet<number> | undefined
  /** The canonical bloom of the whole block. */
  readonly header: string
  /** Every address and topic is in lower case. */
  readonly canonical: boolean
}

export class BloomReader {
  readonly #one = new BloomText()
  readonly #all = new BloomText()
  readonly #mask: number
  /** Only canonical text stands here, so what is found needs no further look. */
  readonly #texts: string[]
  /** Three for each text: position in the bloom's text << 2 | bit of the digit. */
  readonly #bits: Uint16Array
  #canonical = true

  constructor(remembered = defaultRemembered) {
    this.#mask = remembered - 1
    this.#texts = new Array<string>(remembered).fill("")
    this.#bits = new Uint16Array(3 * remembered)
  }

  /** Looks at every log of a block. */
  read(receipts: readonly ReceiptJson[]): BloomReport {
    this.#canonical = true
    let firstWrong = -1
    let inexact: Set<number> | undefined
    let malformed: string | undefined
    for (let i = 0; i < receipts.length && malformed === undefined; i++) {
      const { logs, logsBloom } = receipts[i]!
      let bloom = emptyBloom
      if (!Array.isArray(logs)) malformed = `receipt ${i} has no list of logs`
      else if (logs.length > 0) {
        for (let k = 0; k < logs.length && malformed === undefined; k++) malformed = this.#add(logs[k], i)
        bloom = this.#one.take()
      }
      if (logsBloom === bloom) continue
      inexact ??= new Set()
      inexact.add(i)
      if (firstWrong < 0 && !(typeof logsBloom === "string" && logsBloom.toLowerCase() === bloom))
        firstWrong = i
    }
    return { malformed, firstWrong, inexact, header: this.#all.take(), canonical: this.#canonical }
  }

  /** The bloom of some logs given as address and topics. */
  textOf(logs: Iterable<{ readonly address: string | null; readonly topics: readonly string[] }>): string {
    for (const log of logs) {
      if (log.address !== null) this.#set(log.address)
      for (const topic of log.topics) this.#set(topic)
    }
    this.#all.take()
    return this.#one.take()
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
    const place = this.#placeOf(hex)
    if (this.#texts[place] === hex) this.#setPlace(place)
    else if (isFixedHex(hex, bytes)) this.#setPlace(this.#remember(hex, place))
    else {
      const lower = (hex as string).toLowerCase()
      if (!isFixedHex(lower, bytes)) return false
      this.#canonical = false
      this.#set(lower)
    }
    return true
  }

  #set(hex: string): void {
    const place = this.#placeOf(hex)
    this.#setPlace(this.#texts[place] === hex ? place : this.#remember(hex, place))
  }

  #setPlace(place: number): void {
    const bits = this.#bits
    for (let i = 3 * place; i < 3 * place + 3; i++) {
      const bit = bits[i]!
      this.#one.set(bit)
      this.#all.set(bit)
    }
  }

  /** From a few digits of both ends: addresses and numbers differ in their last ones, short texts in their first. */
  #placeOf(hex: string): number {
    const end = hex.length - 5
    let place = 0
    for (let i = 0; i < 5; i++) {
      const a = hex.charCodeAt(end + i)
      const b = hex.charCodeAt(2 + i)
      // The value of a digit, for letters too.
      place = (place << 4) ^ ((a & 15) + 9 * (a >> 6)) ^ (((b & 15) + 9 * (b >> 6)) << 1)
    }
    return place & this.#mask
  }

  #remember(hex: string, place: number): number {
    this.#texts[place] = hex
    const digest = keccakOfHex(hex)
    for (let i = 0; i < 3; i++) {
      const bit = ((digest[2 * i]! << 8) | digest[2 * i + 1]!) & 2047
      // The highest bit stands first; a digit holds four.
      const position = 2 + (511 - (bit >>> 2))
      this.#bits[3 * place + i] = (position << 2) | (bit & 3)
    }
    return place
  }
}
