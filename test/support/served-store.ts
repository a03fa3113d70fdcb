// A derived store behind the HTTP server of the role `serve`, without its thread.

import { dataApi } from "../../src/api/data-api.js"
import { startHttpServer } from "../../src/api/http-server.js"
import { evmFamily } from "../../src/families/evm/evm-family.js"
import { systemClock } from "../../src/platform/clock.js"
import { silentLogger } from "../../src/platform/logger.js"
import { Database } from "../../src/postgres/database.js"
import { ServedChain } from "../../src/queries/served-chain.js"
import type { WorkerDefinition } from "../../src/workers/worker-definition.js"
import { type DeriveStore, openDeriveStore } from "./derive-store.js"
import type { BlockRow } from "./raw-rows.js"

export interface ServedStore {
  readonly store: DeriveStore
  readonly chain: ServedChain
  readonly url: string
  get(path: string, headers?: Record<string, string>): Promise<ServedAnswer>
  /** All rows of a list, page by page. */
  walk(path: string, limit?: number): Promise<Record<string, string>[]>
  close(): Promise<void>
}

interface ServedAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: whatever the route answers.
  readonly json: any
}

/** The chain `test`, all of it derived. */
export async function serveStore(
  blocks: readonly BlockRow[],
  {
    workers = evmFamily.workers,
    twoDatabases = false,
  }: { workers?: readonly WorkerDefinition[]; twoDatabases?: boolean } = {},
): Promise<ServedStore> {
  const store = await openDeriveStore(blocks, { workers, twoDatabases })
  await store.deriveAll()
  const pool = (url: string) => new Database({ url, applicationName: "api", maxConnections: 4, readOnly: true })
  const raw = pool(store.rawUrl)
  const app = twoDatabases ? pool(store.appUrl) : raw
  const chain = new ServedChain({ name: "test", raw, app, clock: systemClock })
  const server = await startHttpServer({
    ...{ host: "127.0.0.1", port: 0, anyPort: false, chains: () => [], metrics: async () => "", readyLagBlocks: 10 },
    ...{ clock: systemClock, logger: silentLogger },
    plugin: (instance) =>
      dataApi(instance, {
        ...{ version: "0", chains: () => [chain], resources: evmFamily.resources },
        ...{ apiKeys: new Map(), corsOrigins: ["https://example.org"], requestsPerMinute: 0 },
      }),
  })
  const get = async (path: string, headers: Record<string, string> = {}): Promise<ServedAnswer> => {
    const response = await fetch(`${server.url}${path}`, { headers })
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.includes("json") ?? false
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
  }
  return {
    ...{ store, chain, get },
    url: server.url,
    walk: async (path, limit = 7) => {
      const rows: Record<string, string>[] = []
      let cursor = ""
      do {
        const { status, json } = await get(`${path}${path.includes("?") ? "&" : "?"}limit=${limit}${cursor}`)
        if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(json)}`)
        rows.push(...json.data)
        cursor = json.meta.next_cursor ? `&cursor=${json.meta.next_cursor}` : ""
      } while (cursor !== "")
      return rows
    },
    close: async () => {
      await server.stop()
      await chain.close()
      await store.close()
    },
  }
}
