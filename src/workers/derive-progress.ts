// What a thread is busy with, in memory shared with the process: an extract that loops or runs out of memory cannot report
// it, so the process reads the worker and the block here.

export interface Busy {
  /** Changes with every begin: the same number later means the same block. */
  readonly sequence: number
  /** Position of the worker in the registry's order. */
  readonly worker: number
  readonly height: number
}

const slots = { sequence: 0, worker: 1, high: 2, low: 3 } as const
const two32 = 2 ** 32

export class DeriveProgress {
  private readonly slots: Int32Array

  constructor(readonly memory: SharedArrayBuffer = new SharedArrayBuffer(16)) {
    this.slots = new Int32Array(memory)
  }

  begin(worker: number, height: number): void {
    const { slots: at } = this
    at[slots.high] = Math.floor(height / two32)
    at[slots.low] = height | 0
    // One more than its position: zero is idle.
    Atomics.store(at, slots.worker, worker + 1)
    Atomics.add(at, slots.sequence, 1)
  }

  end(): void {
    Atomics.store(this.slots, slots.worker, 0)
  }

  read(): Busy | undefined {
    const { slots: at } = this
    const worker = Atomics.load(at, slots.worker)
    if (worker === 0) return undefined
    return {
      sequence: Atomics.load(at, slots.sequence),
      worker: worker - 1,
      height: at[slots.high]! * two32 + (at[slots.low]! >>> 0),
    }
  }
}
