// The database driver, loaded without what it loads to find out whether it runs on Cloudflare: unless there is a
// `navigator`, as in newer versions of Node, it constructs a `Response`, and all of fetch comes with it, in each thread.

import { createRequire } from "node:module"
import type pg from "pg"

const runtime = globalThis as { navigator?: { readonly userAgent: string } }
runtime.navigator ??= { userAgent: `Node.js/${process.versions.node.split(".", 1)[0]}` }

/** A module that `import` would load before the line above. */
export const driver = createRequire(import.meta.url)("pg") as typeof pg
