// A chain's databases before anything works on them: made, migrated, and pinned to their chain.

import { type PinOptions, pinChain } from "../coordination/postgres/pin-chain.js"
import type { ChainConfig } from "../platform/load-config.js"
import type { Logger } from "../platform/logger.js"
import { Database } from "../postgres/database.js"
import type { EmbeddedPostgres } from "../postgres/embedded/start-embedded.js"
import { sqlStateOf } from "../postgres/postgres-error.js"
import { readChainName } from "../raw/chain-state.js"
import type { BlockSource } from "../source/block-source.js"
import {
  type ChainDatabases,
  dropEmbeddedDatabases,
  migrateChainDatabases,
  openChainDatabases,
} from "./chain-databases.js"
import { demoChainContinues } from "./demo-continuity.js"

/** A process that joins by URL calls the chain what the first one called it. */
export async function storedName({ dbRawUrl }: ChainConfig): Promise<string | undefined> {
  if (!dbRawUrl) return undefined
  const database = new Database({ url: dbRawUrl, applicationName: "tidemark start", maxConnections: 1 })
  try {
    return await readChainName(database)
  } catch (error) {
    // No such table: nobody has started here yet.
    if (sqlStateOf(error) === "42P01") return undefined
    throw error
  } finally {
    await database.end()
  }
}

export interface PrepareOptions {
  readonly chain: ChainConfig
  readonly name: string
  readonly asking: BlockSource
  readonly signal: AbortSignal
  readonly logger: Logger
}

export async function prepareDatabases(
  { embedded }: { embedded: EmbeddedPostgres | undefined },
  { chain, name, asking, signal, logger }: PrepareOptions,
): Promise<ChainDatabases> {
  let databases = await openChainDatabases(embedded, { chain, name })
  let applied = await migrateChainDatabases(databases)
  if (chain.demo && embedded && !chain.dbRawUrl) {
    const database = new Database({
      url: databases.rawUrl,
      applicationName: "tidemark demo",
      maxConnections: 1,
    })
    const continues = await demoChainContinues({ database, source: asking }, { signal }).finally(() => database.end())
    if (!continues) {
      logger.warn({}, "the demo chain's state was lost, so its databases are made anew")
      await dropEmbeddedDatabases(embedded, name)
      databases = await openChainDatabases(embedded, { chain, name })
      applied = await migrateChainDatabases(databases)
    }
  }
  if (applied.length > 0) logger.info({ migrations: applied }, "database schema brought up to date")
  return databases
}

export async function pinDatabases(
  { rawUrl, appUrl }: ChainDatabases,
  { logger, ...options }: Omit<PinOptions, "schema"> & { logger: Logger },
): Promise<void> {
  for (const [schema, url] of [
    ["raw", rawUrl],
    ["app", appUrl],
  ] as const) {
    const database = new Database({ url, applicationName: "tidemark start", maxConnections: 1 })
    try {
      await database.assertSupported()
      const { pinned, extended } = await database.transaction((tx) => pinChain(tx, { schema, ...options }))
      const fields = { chainId: options.identity.chainId, genesis: options.identity.genesisHash }
      if (pinned && schema === "raw") logger.info(fields, "this store is for this chain from now on")
      if (extended && schema === "raw") {
        logger.info({ startBlock: options.startBlock }, "history starts lower now: the watermark starts there anew")
      }
    } finally {
      await database.end()
    }
  }
}
