// The only error type for expected faults. Each code has one action. Any other error is a bug: it is isolated to its
// block, logged as an error and retried every minute, and makes no block DEAD. A process that cannot trust its state
// (an uncaught exception) exits and lets its leases expire, which counts as an attempt.

/**
 * retry: an outage, which does not count as an attempt. fail: counts as an attempt of the range.
 * bug: like an unexpected error, unless a user's worker is at fault. rollback: the chain changed; wait for a rollback.
 * stop: an operator must change something.
 */
export type ErrorAction = "retry" | "fail" | "bug" | "rollback" | "stop"

export const errorCodes = {
  // node and network
  RPC_UNREACHABLE: "retry",
  RPC_TIMEOUT: "retry",
  RPC_RATE_LIMITED: "retry",
  RPC_ERROR: "retry",
  RPC_BAD_RESPONSE: "retry",
  RPC_RESPONSE_TOO_LARGE: "retry",
  RPC_BLOCK_MISSING: "retry",
  RPC_NO_PROVIDER: "retry",
  CHAIN_MISMATCH: "stop",
  // verification of a node's answer
  VERIFY_FAILED: "fail",
  VERIFY_UNSUPPORTED: "fail",
  PARENT_MISMATCH: "rollback",
  SEAM_MISMATCH: "rollback",
  // workers
  WORKER_FAILED: "fail",
  // coordination
  LEASE_LOST: "retry",
  ROLLED_BACK: "rollback",
  ROLLBACK_OPEN: "rollback",
  ROLLBACK_STARTED: "stop",
  ROLLBACK_CANCELLED: "stop",
  SERVER_CHANGED: "retry",
  POST_LOST: "retry",
  REORG_HALTED: "rollback",
  NOT_COVERED: "retry",
  FOLD_DAMAGED: "bug",
  // database
  DATABASE_UNREACHABLE: "retry",
  DATABASE_CONFLICT: "retry",
  DATABASE_FULL: "retry",
  DATABASE_ERROR: "bug",
  DATABASE_UNSUPPORTED: "stop",
  SCHEMA_NEWER: "stop",
  SCHEMA_OLDER: "retry",
  SCHEMA_CHANGED: "stop",
  // start-up and operation
  CONFIG_INVALID: "stop",
  EMBEDDED_IN_USE: "stop",
  EMBEDDED_UNAVAILABLE: "stop",
  EMBEDDED_FAILED: "stop",
  DEMO_FAILED: "stop",
  START_BLOCK_RAISED: "stop",
  PARTITION_SIZE_FIXED: "stop",
  NOT_RUNNING: "stop",
  NOT_FOUND: "stop",
  STILL_RUNNING: "stop",
  PORT_IN_USE: "stop",
  USAGE: "stop",
} as const satisfies Record<string, ErrorAction>

export type ErrorCode = keyof typeof errorCodes

export interface IndexerErrorOptions {
  readonly data?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
  /** The height at fault, if known: the failed range is split around it at once. */
  readonly height?: number
}

export class IndexerError extends Error {
  override readonly name = "IndexerError"
  readonly code: ErrorCode
  readonly data: Readonly<Record<string, unknown>>
  readonly height: number | undefined

  constructor(code: ErrorCode, message: string, options: IndexerErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.data = options.data ?? {}
    this.height = options.height
  }

  get action(): ErrorAction {
    return errorCodes[this.code]
  }
}

export const isIndexerError = (error: unknown, code?: ErrorCode): error is IndexerError =>
  error instanceof IndexerError && (code === undefined || error.code === code)

/** BUG for an unexpected error. */
export const codeOf = (error: unknown): ErrorCode | "BUG" => (error instanceof IndexerError ? error.code : "BUG")

/** One line for people: the message and its causes, without stacks. */
export function describeError(error: unknown): string {
  const parts: string[] = []
  for (let at: unknown = error; at instanceof Error && parts.length < 4; at = at.cause) {
    const text = at.message || (at as { code?: string }).code || at.name
    if (!parts.includes(text)) parts.push(text)
  }
  return parts.length > 0 ? parts.join(": ") : String(error)
}
