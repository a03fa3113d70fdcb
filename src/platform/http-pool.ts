// A connection pool for one HTTP server. It loads only undici's pool: all of undici takes three times as long, in
// every thread. The pool can `dispatch` requests; `request` and similar methods need the rest.

import { createRequire } from "node:module"
import type { Pool } from "undici"

export type HttpPool = Pick<Pool, "dispatch" | "close" | "destroy">

export const HttpPool = createRequire(import.meta.url)("undici/lib/dispatcher/pool.js") as new (
  ...options: ConstructorParameters<typeof Pool>
) => HttpPool
