// Entry of the thread that serves HTTP: it has its own event loop and its own read-only pools, so that requests and lease
// renewals cannot delay each other. What only the process knows (metrics, what the stall doctor says) it asks for.

import { Registry } from "prom-client"
import type { ChainView } from "../api/chain-view.js"
import { dataApi } from "../api/data-api.js"
import { startHttpServer } from "../api/http-server.js"
import { StreamHub } from "../api/stream-hub.js"
import { loadWebPages } from "../api/web-pages.js"
import type { OperatedChain } from "../operations/operated-chain.js"
import { systemClock as clock } from "../platform/clock.js"
import { codeOf, describeError, type ErrorCode, IndexerError } from "../platform/errors.js"
import { createHttpMetrics, createStreamMetrics } from "../platform/metrics.js"
import { systemRandom } from "../platform/random.js"
import { Database } from "../postgres/database.js"
import type { NodeCalls } from "../queries/node-calls.js"
import { OutboxFeed } from "../queries/outbox-feed.js"
import { readSessions, ServedChain } from "../queries/served-chain.js"
import { type Diagnosis, notYetKnown } from "../status/diagnosis.js"
import { ThreadPort } from "../threads/thread-port.js"
import type { ChainDatabases } from "./chain-databases.js"
import { adminPoolSize } from "./connection-budget.js"
import { families, familyOf } from "./family-of.js"
import { operateChain } from "./operate-chain.js"
import { passedCalls } from "./passed-calls.js"
import type {
  FromServeThread,
  KnownStatus,
  Question,
  ServedDatabases,
  ServeThreadInput,
  ToServeThread,
} from "./serve-messages.js"

const { input, thread } = await ThreadPort.open<ServeThreadInput, ToServeThread, FromServeThread>()
const { settings, access, version } = input
const logger = thread.logger({})

/** How often the outbox of a chain is read while somebody follows it. */
const feedMs = 250

const waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>()
let asked = 0
function ask<T>(question: Question): Promise<T> {
  const id = asked++
  return new Promise<T>((resolve, reject) => {
    waiting.set(id, { resolve: resolve as (value: unknown) => void, reject })
    thread.send({ type: "question", id, question })
  })
}

const served: ServedChain[] = []
const nodes = new Map<ServedChain, NodeCalls>()
const feeds: OutboxFeed[] = []
const registry = new Registry()
const streams = new StreamHub({
  ...{ feeds: () => feeds, maxStreams: settings.apiStreams, clock, logger, metrics: createStreamMetrics(registry) },
})
const views: ChainView[] = []

const operated: OperatedChain[] = []
const writers: Database[] = []

/** Connections are opened when somebody acts, and closed when idle. */
function operate(name: string, { rawUrl, appUrl }: ChainDatabases): void {
  const pool = (url: string): Database => {
    const writer = new Database({ url, applicationName: `tidemark ${name} admin`, maxConnections: adminPoolSize })
    writers.push(writer)
    return writer
  }
  const raw = pool(rawUrl)
  operated.push(operateChain({ name, raw, app: appUrl === rawUrl ? raw : pool(appUrl), random: systemRandom }))
}

function serveChain({ name, rawUrl, appUrl, writable, nodes: reached, abis }: ServedDatabases): void {
  if (served.some((chain) => chain.name === name)) return
  if (writable) operate(name, writable)
  const pool = (url: string): Database =>
    new Database({
      url,
      applicationName: `tidemark ${name} serve`,
      maxConnections: settings.apiConnections,
      // A pooler may refuse settings at the start of a session; every transaction is read-only in any case.
      ...(settings.pooledConnections ? {} : readSessions),
    })
  const raw = pool(rawUrl)
  const chain = new ServedChain({ name, raw, app: appUrl === rawUrl ? raw : pool(appUrl), clock, abis })
  served.push(chain)
  const node = passedCalls({ clock, random: systemRandom, logger }, { chain, nodes: reached })
  if (node) nodes.set(chain, node)
  const feed = new OutboxFeed({ chain, clock, logger: logger.child({ chain: name }), intervalMs: feedMs })
  feeds.push(feed)
  feed.start()
  let diagnosis: Diagnosis = notYetKnown
  views.push({
    name,
    status: async () => {
      const known = await ask<KnownStatus>({ about: "status", chain: name })
      diagnosis = known.diagnosis
      return known.status
    },
    diagnosis: () => diagnosis,
  })
}

function receive(message: ToServeThread): void {
  if (message.type === "chain") {
    serveChain(message)
    return
  }
  const one = waiting.get(message.id)
  waiting.delete(message.id)
  if (message.type === "answer") one?.resolve(message.value)
  else if (message.code === "BUG") one?.reject(new Error(message.message))
  else one?.reject(new IndexerError(message.code as ErrorCode, message.message))
}

const none = { name: "none", start: () => undefined, stop: async () => undefined }
const closing = {
  close: async () => {
    await Promise.all(feeds.map((service) => service.stop()))
    await Promise.all([...nodes.values()].map((node) => node.close()))
    await Promise.all([...served.map((chain) => chain.close()), ...writers.map((writer) => writer.end())])
  },
}
try {
  const http = await startHttpServer({
    ...{
      host: settings.host,
      port: input.port,
      anyPort: false,
      readyLagBlocks: settings.readyLagBlocks,
      access,
      httpMetrics: createHttpMetrics(registry),
      clock,
      logger,
    },
    chains: () => views,
    starting: () => ask({ about: "starting" }),
    metrics: async () => (await ask<string>({ about: "metrics" })) + (await registry.metrics()),
    maxStreams: settings.apiStreams,
    pages: await loadWebPages(),
    plugin: (app) =>
      dataApi(app, {
        version,
        chains: () => served,
        streams,
        resources: [...new Map(families.flatMap(({ resources }) => resources).map((one) => [one.path, one])).values()],
        graphql: {
          graph: {
            tables: families.flatMap(({ graph }) => graph.tables),
            places: families.flatMap(({ graph }) => graph.places),
            lookups: families.flatMap(({ graph }) => graph.lookups),
            totals: families.flatMap(({ graph }) => graph.totals),
          },
          // The other connections are for REST.
          operations: Math.max(1, Math.floor(settings.apiConnections / 2)),
          logger,
        },
        access,
        ...(input.writes ? { admin: { operated: () => operated, clock, logger } } : {}),
        corsOrigins: (settings.corsOrigins ?? "").split(",").filter((origin) => origin !== ""),
        requestsPerMinute: settings.apiRequestsPerMinute,
        itemMetadata: {
          isOn: settings.nftMetadata,
          urisOf: (chain) => familyOf(chain).itemUris,
          nodeOf: (chain) => nodes.get(chain),
          nodeRequestsPerMinute: settings.apiNodeRequestsPerMinute,
          gateways: { ipfs: settings.nftIpfsGateway, arweave: settings.nftArweaveGateway },
          clock,
        },
        etherscan: {
          ...{ actions: families.flatMap(({ etherscanActions }) => etherscanActions), clock, logger },
          nodeOf: (chain) => nodes.get(chain),
          nodeMethods: (settings.apiNodeMethods ?? "").split(","),
          nodeRequestsPerMinute: settings.apiNodeRequestsPerMinute,
          lagBlocks: settings.readyLagBlocks,
        },
      }),
  })
  thread.send({ type: "listening", url: http.url, port: http.port })
  const onStop = (): Promise<void> => http.stop()
  thread.run({ services: [], runners: [], reporter: none, clock, drainMs: 0, receive, onStop, closing: [closing] })
} catch (error) {
  thread.send({ type: "failed", code: codeOf(error), message: describeError(error) })
  thread.run({ services: [], runners: [], reporter: none, clock, drainMs: 0, receive, closing: [] })
}
