// A worker that failed on a range, and on which block of it where that is known: the one who is charged for it, while the rest
// of its group goes on.

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
