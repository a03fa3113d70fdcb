// How many blocks to request at once: enough for an answer of a few megabytes, and fewer as soon as a request fails.

const startBlocks = 10
/** A batch is at most this many times as large as one that succeeded. */
const maxGrowth = 2
const lowBytes = 2_000_000
const highBytes = 4_000_000
/** Before the first answer. */
const startBytesPerBlock = 150_000

export class BatchSize {
  readonly #maxBlocks: number
  #blocks: number
  #bytesPerBlock = startBytesPerBlock
  #guessing = true

  constructor({ maxBatchBlocks }: { readonly maxBatchBlocks: number }) {
    this.#maxBlocks = Math.max(1, maxBatchBlocks)
    this.#blocks = Math.min(startBlocks, this.#maxBlocks)
  }

  get blocks(): number {
    return this.#blocks
  }

  /** True before the first answer: every request sent now has a guessed size. */
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
    // Only a full batch shows that a larger one fits.
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
