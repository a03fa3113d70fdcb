// A block that became DEAD waits for a person. So it is logged as fatal and counted, whoever gave it up: the holder that failed
// once too often, the reaper, or the process of a thread that ended.

import type { Logger } from "../platform/logger.js"

export interface DeadBlock {
  readonly worker: string
  readonly height: number
  /** Of the last attempt, where its holder gave one. */
  readonly code?: string | undefined
  readonly error?: string | undefined
}

export type OnDead = (block: DeadBlock) => void

export function reportDead(logger: Logger, count: OnDead = () => undefined): OnDead {
  return (block) => {
    logger.fatal({ ...block }, "a block is DEAD: see `tidemark leases list`, then retry or skip it")
    count(block)
  }
}
