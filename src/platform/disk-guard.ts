// Watches the free space on the embedded database's disk and reports when ingestion must pause.

import { statfs } from "node:fs/promises"
import type { Clock } from "./clock.js"
import type { Logger } from "./logger.js"
import { LoopingService } from "./looping-service.js"

export class DiskGuard extends LoopingService {
  freeBytes: number | null = null
  low = false
  private readonly directory: string
  private readonly minFreeBytes: number
  private readonly onChange: (low: boolean) => void

  constructor(options: {
    directory: string
    minFreeBytes: number
    clock: Clock
    logger: Logger
    onChange: (low: boolean) => void
  }) {
    super({ name: "disk-guard", clock: options.clock, logger: options.logger, intervalMs: 5_000 })
    this.directory = options.directory
    this.minFreeBytes = options.minFreeBytes
    this.onChange = options.onChange
  }

  async runOnce(): Promise<undefined> {
    const { bavail, bsize } = await statfs(this.directory)
    this.freeBytes = bavail * bsize
    const low = this.freeBytes < this.minFreeBytes
    if (low === this.low) return undefined
    this.low = low
    const fields = { freeBytes: this.freeBytes, minFreeBytes: this.minFreeBytes }
    if (low) this.logger.error(fields, "the disk is nearly full: ingestion pauses (MIN_FREE_DISK)")
    else this.logger.info(fields, "the disk has free space again: ingestion resumes")
    this.onChange(low)
    return undefined
  }
}
