// Names a database for people: host, port and name, without user, password and options.

import { IndexerError } from "../platform/errors.js"

/** "127.0.0.1:5432/tidemark". Throws CONFIG_INVALID for an invalid connection URL. */
export function databaseAddress(url: string): string {
  const parsed = /^postgres(ql)?:\/\//.test(url) && URL.canParse(url) ? new URL(url) : undefined
  if (!parsed) {
    // The URL itself is omitted: it may contain a password.
    throw new IndexerError(
      "CONFIG_INVALID",
      "A database URL is invalid. Its form is postgres://user:password@host:5432/name, " +
        "with special characters in the password percent-encoded.",
    )
  }
  // ?host=/path is the directory of a unix socket.
  const host = parsed.hostname || parsed.searchParams.get("host") || "localhost"
  return `${host}:${parsed.port || 5432}${decodeURIComponent(parsed.pathname)}`
}
