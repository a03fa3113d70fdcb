// Watches the free space on the embedded database's disk and reports when ingestion must pause.

import { statfs } from "node:fs/promises"
import { LoopingService } from "./looping-service.js"
import type { ServiceDeps } from "./service.js"

interface DiskGuardOptions extends ServiceDeps {
  readonly directory: string
  readonly minFreeBytes: number
  readonly onChange: (low: boolean) => void
}

export class DiskGuard extends LoopingService {
  freeBytes: number | null = null
  low = false

  constructor(private readonly options: DiskGuardOptions) {
    super({ ...options, name: "disk-guard", intervalMs: 5_000 })
  }

  async runOnce(): Promise<undefined> {
    const { directory, minFreeBytes, onChange } = this.options
    const { bavail, bsize } = await statfs(directory)
    this.freeBytes = bavail * bsize
    const low = this.freeBytes < minFreeBytes
    if (low === this.low) return undefined
    this.low = low
    const fields = { freeBytes: this.freeBytes, minFreeBytes }
    if (low) this.logger.error(fields, "the disk is nearly full: ingestion pauses (MIN_FREE_DISK)")
    else this.logger.info(fields, "the disk has free space again: ingestion resumes")
    onChange(low)
  }
}
