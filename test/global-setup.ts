// Starts what all tests share and takes it down again: one PostgreSQL server, in a directory of its own,
// and a cluster that servers of single tests are copied from.

import type { TestProject } from "vitest/node"
import { type PrivatePostgres, shareBlankCluster, startPrivatePostgres } from "./support/private-postgres.js"

declare module "vitest" {
  export interface ProvidedContext {
    /** The `postgres` database of the shared server. */
    postgresUrl: string
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const unshare = await shareBlankCluster()
  const server: PrivatePostgres = await startPrivatePostgres()
  project.provide("postgresUrl", server.url("postgres"))
  return async () => {
    await server.remove()
    await unshare()
  }
}
