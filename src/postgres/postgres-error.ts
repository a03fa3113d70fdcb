// Maps every database error to an IndexerError by SQLSTATE or system error code, never by message text.

import { type ErrorCode, IndexerError } from "../platform/errors.js"

const unreachableSystemCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ENETDOWN",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
])

const codeBySqlState: Readonly<Record<string, ErrorCode>> = {
  "57P01": "DATABASE_UNREACHABLE", // ended by an administrator, or by the reaper
  "57P02": "DATABASE_UNREACHABLE", // crash shutdown
  "57P03": "DATABASE_UNREACHABLE", // starting up or shutting down
  "57P04": "DATABASE_UNREACHABLE", // database dropped
  "57P05": "DATABASE_UNREACHABLE", // idle session timeout
  "53300": "DATABASE_UNREACHABLE", // too many connections
  "25006": "DATABASE_UNREACHABLE", // read only: a standby, after a failover
  "40001": "DATABASE_CONFLICT", // serialization failure
  "40P01": "DATABASE_CONFLICT", // deadlock
  "55P03": "DATABASE_CONFLICT", // lock timeout, or nowait
  "57014": "DATABASE_CONFLICT", // statement timeout, or cancelled
  "25P03": "DATABASE_CONFLICT", // idle in transaction for too long
  "25P04": "DATABASE_CONFLICT", // transaction timeout
  "53100": "DATABASE_FULL",
  "53200": "DATABASE_FULL",
}

const says: Partial<Record<ErrorCode, string>> = {
  DATABASE_UNREACHABLE: "cannot be reached; work resumes when it is available again",
  DATABASE_CONFLICT: "rejected a transaction because of a conflict or a time limit; it will be retried",
  DATABASE_FULL: "is out of disk space or memory; free some, then work resumes",
  DATABASE_ERROR: "rejected a statement",
}

export interface PostgresErrorContext {
  /** host:port/name, from `databaseAddress`. */
  readonly address?: string
  /** The connection is known to be closed. The driver's own errors carry no code, so the caller reports it. */
  readonly connectionLost?: boolean
  readonly data?: Readonly<Record<string, unknown>>
}

/** An IndexerError is returned as it is. */
export function toIndexerError(error: unknown, context: PostgresErrorContext = {}): IndexerError {
  if (error instanceof IndexerError) return error
  const code = codeOf(error)
  const kind = classify(code, context.connectionLost ?? false)
  const where = context.address ? `The database ${context.address}` : "The database"
  const detail = error instanceof Error && error.message ? error.message : String(code ?? error)
  return new IndexerError(kind, `${where} ${says[kind]} (${code ? `${code}: ` : ""}${detail})`, {
    cause: error,
    data: { ...constraintOf(error), ...context.data, ...(code ? sqlStateOrCode(code) : {}) },
  })
}

/** Everything goes on as after an outage, but whoever asks on behalf of others can tell them the truth (`isPoolExhausted`). */
export function poolExhausted(
  cause: unknown,
  { address, connections }: { readonly address: string; readonly connections: number },
): IndexerError {
  return new IndexerError(
    "DATABASE_UNREACHABLE",
    `All ${connections} connections of this process to the database ${address} are in use; none became free in time`,
    { cause, data: { poolExhausted: true } },
  )
}

export const isPoolExhausted = (error: unknown): boolean =>
  error instanceof IndexerError && error.data["poolExhausted"] === true

function classify(code: string | undefined, connectionLost: boolean): ErrorCode {
  const known = code === undefined ? undefined : codeBySqlState[code]
  if (known) return known
  if (code && (unreachableSystemCodes.has(code) || (isSqlState(code) && code.startsWith("08")))) {
    return "DATABASE_UNREACHABLE"
  }
  return connectionLost && !(code && isSqlState(code)) ? "DATABASE_UNREACHABLE" : "DATABASE_ERROR"
}

/** A connection attempt to several addresses fails as an AggregateError whose code is that of the first. */
function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === "string" ? code : undefined
}

const isSqlState = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code)

const sqlStateOrCode = (code: string): Record<string, string> =>
  isSqlState(code) ? { sqlState: code } : { systemCode: code }

/** The table and constraint, which identify a duplicate key without its message. */
function constraintOf(error: unknown): Record<string, string> {
  const { table, constraint } = (error ?? {}) as { table?: unknown; constraint?: unknown }
  return {
    ...(typeof table === "string" ? { table } : {}),
    ...(typeof constraint === "string" ? { constraint } : {}),
  }
}

/** The SQLSTATE behind a mapped error, if the server gave one. */
export function sqlStateOf(error: unknown): string | undefined {
  const state = error instanceof IndexerError ? error.data["sqlState"] : codeOf(error)
  return typeof state === "string" && isSqlState(state) ? state : undefined
}

/** 42P01: no such table, 3F000: no such schema. */
export const isMissingSchema = (error: unknown): boolean => ["42P01", "3F000"].includes(sqlStateOf(error) ?? "")

/** The server answers the commit of a failed transaction with a rollback, without an error. */
export function assertCommitted({ command }: { readonly command: string }, address: string): void {
  if (command === "COMMIT") return
  throw new IndexerError(
    "DATABASE_ERROR",
    `The database ${address} rolled a transaction back instead of committing it: ` +
      "one of its statements failed, and the error was ignored.",
  )
}

/** The oldest version that has multiranges and everything else the schema needs. */
const minimumServerVersion = 15

/** `versionNum` is `server_version_num`: 150018 is 15.18. */
export function assertServerVersion(versionNum: string, address: string): void {
  const major = Math.floor(Number(versionNum) / 10_000)
  if (major >= minimumServerVersion) return
  throw new IndexerError(
    "DATABASE_UNSUPPORTED",
    `The database ${address} is PostgreSQL ${major}; version ${minimumServerVersion} or newer is required. ` +
      "Upgrade it, or use another server.",
    { data: { serverVersion: Number(versionNum) } },
  )
}

/** Reads a height from an int8 column, which the driver returns as text. */
export function heightFrom(value: string): number {
  const height = Number(value)
  if (!/^-?\d+$/.test(value) || !Number.isSafeInteger(height)) {
    throw new RangeError(`not a height: ${JSON.stringify(value)}`)
  }
  return height
}
