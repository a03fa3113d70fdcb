// A worker that failed on a range, and on which block if that is known. Only this worker is charged; the rest of its group
// continues.

export class WorkerFault extends Error {
  override readonly name = "WorkerFault"
  readonly worker: string
  readonly height: number | undefined

  constructor({ worker, height, cause }: { worker: string; height?: number | undefined; cause: unknown }) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.worker = worker
    this.height = height
  }
}
