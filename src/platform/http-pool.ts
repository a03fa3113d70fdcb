// Connections to one HTTP server. Undici's pool alone: all of undici takes three times as long to load, and every thread of a process
// loads it again. It can dispatch requests; `request` and its like come with the rest.

import { createRequire } from "node:module"
import type { Pool } from "undici"

export type HttpPool = Pick<Pool, "dispatch" | "close" | "destroy">

export const HttpPool = createRequire(import.meta.url)("undici/lib/dispatcher/pool.js") as new (
  ...options: ConstructorParameters<typeof Pool>
) => HttpPool
