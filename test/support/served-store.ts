// A derived store behind the HTTP server of the role `serve`, without its thread.

import type { InjectOptions, RouteOptions } from "fastify"
import { Registry } from "prom-client"
import type { Access } from "../../src/api/access.js"
import type { ChainView, StartingChain } from "../../src/api/chain-view.js"
import { dataApi } from "../../src/api/data-api.js"
import type { EtherscanOptions } from "../../src/api/etherscan/etherscan-routes.js"
import { startHttpServer } from "../../src/api/http-server.js"
import type { ItemMetadataOptions } from "../../src/api/item-metadata/item-metadata-routes.js"
import { StreamHub } from "../../src/api/stream-hub.js"
import { loadWebPages } from "../../src/api/web-pages.js"
import { postgresElections } from "../../src/coordination/postgres/postgres-elections.js"
import { evmFamily } from "../../src/families/evm/evm-family.js"
import type { EvmBlock } from "../../src/families/evm/raw/evm-block.js"
import type { OperatedChain } from "../../src/operations/operated-chain.js"
import { systemClock } from "../../src/platform/clock.js"
import type { ChainAbi } from "../../src/platform/load-config.js"
import { silentLogger } from "../../src/platform/logger.js"
import { createStreamMetrics } from "../../src/platform/metrics.js"
import { systemRandom } from "../../src/platform/random.js"
import { Database } from "../../src/postgres/database.js"
import type { NodeCalls } from "../../src/queries/node-calls.js"
import { OutboxFeed } from "../../src/queries/outbox-feed.js"
import { readSessions, ServedChain } from "../../src/queries/served-chain.js"
import { operateChain } from "../../src/roles/operate-chain.js"
import { readChainStatus } from "../../src/status/read-chain-status.js"
import { SeriesWriter } from "../../src/status/series-writer.js"
import type { WorkerDefinition } from "../../src/workers/worker-definition.js"
import { type DeriveStore, openDeriveStore } from "./derive-store.js"
import type { BlockRow } from "./raw-rows.js"
import { testLedgers } from "./test-ledgers.js"

export type ServedRoute = RouteOptions & { readonly method: string }

export interface ServedStore {
  readonly store: DeriveStore
  readonly chain: ServedChain
  readonly url: string
  /** Runs when a test tells it to. */
  readonly series: SeriesWriter
  /** How it stands in /status and /admin, for a server of several chains. */
  readonly view: ChainView
  readonly operated: OperatedChain
  readonly feed: OutboxFeed
  /** Of the router, as they were registered. */
  readonly routes: readonly ServedRoute[]
  /** Without a socket. */
  inject(
    request: InjectOptions,
  ): Promise<{ readonly statusCode: number; readonly headers: Record<string, unknown>; readonly body: string }>
  /** The same store with other settings. */
  again(over: ServeAgain): Promise<ServedStore>
  get(path: string, headers?: Record<string, string>): Promise<ServedAnswer>
  /** All rows of a list, page by page. */
  walk(path: string, limit?: number): Promise<Record<string, string>[]>
  close(): Promise<void>
}

interface ServeAgain {
  readonly access: Access
  /** Another chain of the same server. */
  readonly beside?: ServedStore
  /** Those that do not run yet. */
  readonly starting?: readonly StartingChain[]
}

interface ServedAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: whatever the route answers.
  readonly json: any
}

export interface ServeOptions {
  readonly name?: string
  readonly workers?: readonly WorkerDefinition[]
  readonly twoDatabases?: boolean
  readonly access?: Access
  /** Blocks above the others, as a source yields them. */
  readonly fetched?: readonly EvmBlock[]
  /** Where clients' calls are passed to. */
  readonly node?: NodeCalls | undefined
  readonly etherscan?: Partial<EtherscanOptions>
  readonly itemMetadata?: Partial<ItemMetadataOptions>
  /** Answers /status too, and tells the stream what is written to the outbox. */
  readonly live?: boolean
  /** Of the config. */
  readonly abis?: readonly ChainAbi[]
}

/** A chain, all of it derived. */
export async function serveStore(
  blocks: readonly BlockRow[],
  {
    name = "test",
    workers = evmFamily.workers,
    twoDatabases = false,
    access = { adminToken: undefined, opsIsPublic: true, apiKeys: [], trustedProxies: [] },
    fetched = [],
    node,
    etherscan = {},
    itemMetadata = {},
    live = false,
    abis,
  }: ServeOptions = {},
): Promise<ServedStore> {
  const store = await openDeriveStore(blocks, { workers, twoDatabases, name })
  if (fetched.length > 0) await store.appendFetched(fetched)
  await store.deriveAll()
  return serveOpened(store, {
    ...{ name, access, twoDatabases, node, etherscan, itemMetadata, live, ...(abis ? { abis } : {}) },
    close: () => store.close(),
  })
}

interface ServeOpened extends ServeAgain, Pick<ServeOptions, "abis" | "node" | "etherscan" | "itemMetadata"> {
  readonly name: string
  readonly live: boolean
  readonly twoDatabases: boolean
  readonly close: () => Promise<void>
}

async function serveOpened(store: DeriveStore, options: ServeOpened): Promise<ServedStore> {
  const { name, beside, starting = [], access, twoDatabases, node, etherscan, itemMetadata, live } = options
  const pool = (url: string) => new Database({ url, applicationName: "api", maxConnections: 4, ...readSessions })
  const raw = pool(store.rawUrl)
  const app = twoDatabases ? pool(store.appUrl) : raw
  const chain = new ServedChain({ name, raw, app, clock: systemClock, abis: options.abis })
  const series = new SeriesWriter({
    ...{ raw: store.raw, app: store.app, elections: postgresElections, clock: systemClock, logger: silentLogger },
  })
  const feed = new OutboxFeed({ chain, clock: systemClock, logger: silentLogger, intervalMs: 50 })
  if (live) feed.start()
  const readStatus = () =>
    readChainStatus({ raw: store.raw, ledgers: testLedgers }, { name, family: store.family, app: store.app })
  const view: ChainView = {
    name,
    status: readStatus,
    diagnosis: () => ({ state: "ok", cause: null, message: "it is at the head", doing: null, todo: null }),
  }
  const streams = new StreamHub({
    ...{
      feeds: () => (live ? [feed, ...(beside ? [beside.feed] : [])] : []),
      maxStreams: 100,
      clock: systemClock,
      logger: silentLogger,
    },
    metrics: createStreamMetrics(new Registry()),
  })
  const operated = operateChain({ name, raw: store.raw, app: store.app, random: systemRandom })
  const admin = {
    operated: () => [operated, ...(beside ? [beside.operated] : [])],
    clock: systemClock,
    logger: silentLogger,
  }
  const routes: ServedRoute[] = []
  let inject: ServedStore["inject"] | undefined
  const server = await startHttpServer({
    access,
    ...{
      host: "127.0.0.1",
      port: 0,
      anyPort: false,
      chains: () => (live ? [view, ...(beside ? [beside.view] : [])] : []),
      metrics: async () => "",
      starting: async () => starting,
      readyLagBlocks: 10,
    },
    ...{ clock: systemClock, logger: silentLogger, pages: await loadWebPages() },
    plugin: async (instance) => {
      inject = (request) => instance.inject(request)
      instance.addHook("onRoute", (route) => void routes.push(route as ServedRoute))
      await dataApi(instance, {
        ...{ version: "0", chains: () => [chain, ...(beside ? [beside.chain] : [])], resources: evmFamily.resources },
        ...{ access, streams, admin, corsOrigins: ["https://example.org"] },
        requestsPerMinute: 0,
        graphql: { graph: evmFamily.graph, operations: 2, logger: silentLogger },
        itemMetadata: {
          ...{ isOn: false, urisOf: () => evmFamily.itemUris, nodeOf: () => node, nodeRequestsPerMinute: 60 },
          ...{ gateways: { ipfs: "https://ipfs.test/", arweave: "https://arweave.test/" }, clock: systemClock },
          ...itemMetadata,
        },
        etherscan: {
          ...{ actions: evmFamily.etherscanActions, nodeOf: () => node, nodeMethods: [] },
          ...{ nodeRequestsPerMinute: 60, lagBlocks: 10, clock: systemClock, logger: silentLogger },
          ...etherscan,
        },
      })
    },
  })
  const get = async (path: string, headers: Record<string, string> = {}): Promise<ServedAnswer> => {
    const response = await fetch(`${server.url}${path}`, { headers })
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.includes("json") ?? false
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
  }
  return {
    ...{ store, chain, series, view, operated, feed, routes, get, inject: inject! },
    again: (over) => serveOpened(store, { ...options, ...over, close: async () => undefined }),
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
      if (live) await feed.stop()
      await chain.close()
      await options.close()
    },
  }
}
