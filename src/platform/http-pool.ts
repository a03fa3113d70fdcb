// Connections to one HTTP server. Undici's pool alone: all of undici takes three times as long to load, and every thread of a process
// loads it again.

import { createRequire } from "node:module"
import type { Pool } from "undici"

export type HttpPool = Pool

export const HttpPool = createRequire(import.meta.url)("undici/lib/dispatcher/pool.js") as typeof Pool
