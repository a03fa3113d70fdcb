// What a finder of causes is given and gives.

import type { ChainStatus } from "./chain-status.js"
import type { StallCause } from "./diagnosis.js"

export interface CauseFinding {
  readonly cause: StallCause
  readonly message: string
  readonly doing: string | null
  readonly todo: string | null
}

export interface CauseLimits {
  readonly stallAfterMs: number
  /** How long there has been work, where the caller has watched itself; otherwise as the processes say. */
  readonly workForMs?: number | null
}

export type CauseFinder = (status: ChainStatus, limits: CauseLimits) => CauseFinding | undefined
