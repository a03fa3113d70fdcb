// Creates and migrates a chain's databases, and pins them to their chain, before anything uses them.

import { type PinOptions, pinChain } from "../coordination/postgres/pin-chain.js"
import type { ChainConfig } from "../platform/load-config.js"
import type { Logger } from "../platform/logger.js"
import { Database } from "../postgres/database.js"
import type { EmbeddedPostgres } from "../postgres/embedded/start-embedded.js"
import { heightFrom } from "../postgres/postgres-error.js"
import { readChainName, readChainState } from "../raw/chain-state.js"
import type { BlockSource } from "../source/block-source.js"
import {
  type ChainDatabases,
  dropEmbeddedDatabases,
  migrateChainDatabases,
  openChainDatabases,
} from "./chain-databases.js"

/** A process that joins by URL uses the chain name that the first one stored. */
export async function storedName({ dbRawUrl }: ChainConfig): Promise<string | undefined> {
  if (!dbRawUrl) return undefined
  const database = new Database({ url: dbRawUrl, applicationName: "tidemark start", maxConnections: 1 })
  try {
    return await readChainName(database)
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
    const database = new Database({ url: databases.rawUrl, applicationName: "tidemark demo", maxConnections: 1 })
    const continues = await demoChainContinues({ database, source: asking }, signal).finally(() => database.end())
    if (!continues) {
      logger.warn({}, "the demo chain's state was lost, so its databases are recreated")
      await dropEmbeddedDatabases(embedded, name)
      databases = await openChainDatabases(embedded, { chain, name })
      applied = await migrateChainDatabases(databases)
    }
  }
  if (applied.length > 0) logger.info({ migrations: applied }, "database schema brought up to date")
  return databases
}

/** Whether the databases belong to the running demo chain: compares the newest stored block with the node's. */
async function demoChainContinues(
  { database, source }: { database: Database; source: BlockSource },
  signal: AbortSignal,
): Promise<boolean> {
  const state = await readChainState(database)
  if (!state) return true
  const identity = await source.identity({ signal })
  if (identity.genesisHash.toLowerCase() !== state.genesisHash) return false
  const { rows } = await database.query<{ height: string; hash: Buffer }>(
    "select height, hash from raw.blocks order by height desc limit 1",
  )
  const [newest] = rows
  if (!newest) return true
  const hash = await source.blockHash(heightFrom(newest.height), { signal })
  return hash?.toLowerCase() === `0x${newest.hash.toString("hex")}`
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
      if (pinned && schema === "raw") logger.info(fields, "this store now belongs to this chain")
      if (extended && schema === "raw") {
        logger.info({ startBlock: options.startBlock }, "history now starts lower, and so does the watermark")
      }
    } finally {
      await database.end()
    }
  }
}
