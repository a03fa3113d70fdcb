// How many blocks to ask for at once: enough for a few megabytes an answer, fewer as soon as that goes wrong.

export interface BatchSizeOptions {
  readonly maxBatchBlocks: number
}

const startBlocks = 10
const stepBlocks = 4
const lowBytes = 2_000_000
const highBytes = 4_000_000
/** Before anything was seen. */
const startBytesPerBlock = 150_000

export class BatchSize {
  readonly #maxBlocks: number
  #blocks: number
  #bytesPerBlock = startBytesPerBlock

  constructor(options: BatchSizeOptions) {
    this.#maxBlocks = Math.max(1, options.maxBatchBlocks)
    this.#blocks = Math.min(startBlocks, this.#maxBlocks)
  }

  get blocks(): number {
    return this.#blocks
  }

  estimateBytes(blocks: number): number {
    return Math.ceil(blocks * this.#bytesPerBlock)
  }

  succeeded(blocks: number, bytes: number): void {
    this.#bytesPerBlock += (bytes / blocks - this.#bytesPerBlock) / 4
    if (bytes > highBytes) this.#blocks = Math.min(this.#blocks, Math.max(1, Math.floor(blocks / 2)))
    // A small batch says nothing about a full one.
    else if (bytes < lowBytes && blocks >= this.#blocks) {
      this.#blocks = Math.min(this.#blocks + stepBlocks, this.#maxBlocks)
    }
  }

  failed(blocks: number): void {
    this.#blocks = Math.min(this.#blocks, Math.max(1, Math.floor(blocks / 2)))
  }
}
