// How a database is named to people: host, port and name, never the user's password or the options.

import { IndexerError } from "../platform/errors.js"

/** "127.0.0.1:5432/tidemark". Throws CONFIG_INVALID for what is no connection URL. */
export function databaseAddress(url: string): string {
  const parsed = /^postgres(ql)?:\/\//.test(url) && URL.canParse(url) ? new URL(url) : undefined
  if (!parsed) {
    // The URL itself is left out: it may hold a password.
    throw new IndexerError(
      "CONFIG_INVALID",
      "A database URL cannot be read. It has to look like postgres://user:password@host:5432/name, with special characters in the password percent-encoded.",
    )
  }
  // A unix socket's directory is given as ?host=/path.
  const host = parsed.hostname || parsed.searchParams.get("host") || "localhost"
  return `${host}:${parsed.port || 5432}${decodeURIComponent(parsed.pathname)}`
}
