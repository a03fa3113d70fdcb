// How many blocks to ask for at once: enough for a few megabytes an answer, fewer as soon as that goes wrong.

export interface BatchSizeOptions {
  readonly maxBatchBlocks: number
}

const startBlocks = 10
/** A larger batch than was seen to work grows by at most so much. */
const maxGrowth = 2
const lowBytes = 2_000_000
const highBytes = 4_000_000
/** Before anything was seen. */
const startBytesPerBlock = 150_000

export class BatchSize {
  readonly #maxBlocks: number
  #blocks: number
  #bytesPerBlock = startBytesPerBlock
  #guessing = true

  constructor(options: BatchSizeOptions) {
    this.#maxBlocks = Math.max(1, options.maxBatchBlocks)
    this.#blocks = Math.min(startBlocks, this.#maxBlocks)
  }

  get blocks(): number {
    return this.#blocks
  }

  /** Nothing was seen yet: whoever sends many requests now sends all of them with a size that is a guess. */
  get guessing(): boolean {
    return this.#guessing
  }

  estimateBytes(blocks: number): number {
    return Math.ceil(blocks * this.#bytesPerBlock)
  }

  succeeded(blocks: number, bytes: number): void {
    this.#bytesPerBlock += (bytes / blocks - this.#bytesPerBlock) / (this.#guessing ? 1 : 4)
    this.#guessing = false
    if (bytes > highBytes) this.#blocks = Math.min(this.#blocks, Math.max(1, Math.floor(blocks / 2)))
    // A small batch says nothing about a full one.
    else if (bytes < lowBytes && blocks >= this.#blocks) {
      const fitting = Math.floor(lowBytes / this.#bytesPerBlock)
      const grown = Math.min(fitting, this.#blocks * maxGrowth, this.#maxBlocks)
      this.#blocks = Math.max(this.#blocks, grown)
    }
  }

  failed(blocks: number): void {
    this.#guessing = false
    this.#blocks = Math.min(this.#blocks, Math.max(1, Math.floor(blocks / 2)))
  }
}
