// Reuses the memory of answers: a new allocation for each would make V8 collect the whole heap many times a second. A
// buffer must not be read after it was given to the pool.

const smallest = 1 << 16

export class BufferPool {
  readonly #limit: number
  readonly #free = new Map<number, Buffer[]>()
  #held = 0

  /** At most this many bytes are kept for reuse. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** A buffer of this length, its content undefined. */
  take(length: number): Buffer {
    const size = sizeFor(length)
    const found = this.#free.get(size)?.pop()
    if (found === undefined) return Buffer.allocUnsafeSlow(size).subarray(0, length)
    this.#held -= size
    return found.subarray(0, length)
  }

  give(buffer: Buffer): void {
    const size = buffer.buffer.byteLength
    // Of another size than those of take(): nothing would ever fit it.
    if ((size & (size - 1)) !== 0) return
    if (size < smallest || buffer.byteOffset !== 0 || this.#held + size > this.#limit) return
    this.#held += size
    const list = this.#free.get(size)
    const whole = Buffer.from(buffer.buffer)
    if (list === undefined) this.#free.set(size, [whole])
    else list.push(whole)
  }
}

/** Powers of two, so that an answer of a similar size can reuse the buffer. */
function sizeFor(length: number): number {
  let size = smallest
  while (size < length) size *= 2
  return size
}
