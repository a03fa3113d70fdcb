// Opens a chain before its services start: asks its node for its identity, prepares and pins its databases, and opens pools.

import type { Ledgers } from "../coordination/ledgers.js"
import { postgresLedgers } from "../coordination/postgres/postgres-ledgers.js"
import type { ChainFamily } from "../families/chain-family.js"
import { settlePartitionSize } from "../partitions/settle-partition-size.js"
import type { ChainConfig } from "../platform/load-config.js"
import type { Metrics } from "../platform/metrics.js"
import type { RuntimeDeps } from "../platform/service.js"
import type { ProcessSettings } from "../platform/settings.js"
import { Database } from "../postgres/database.js"
import type { EmbeddedPostgres } from "../postgres/embedded/start-embedded.js"
import { readChainState } from "../raw/chain-state.js"
import type { ChainIdentity } from "../source/block-source.js"
import type { SharedLimitHandle } from "../source/shared-limit.js"
import { StoredRegistry } from "../workers/postgres/stored-registry.js"
import type { ChainDatabases } from "./chain-databases.js"
import { appPoolSize, planLanes } from "./connection-budget.js"
import { familyOf } from "./family-of.js"
import { createNodeLimits } from "./node-limits.js"
import { patience } from "./patience.js"
import { pinDatabases, prepareDatabases, storedName } from "./prepare-databases.js"
import type { Role } from "./role.js"

export interface StartChainDeps extends RuntimeDeps {
  readonly metrics: Metrics
  readonly embedded: EmbeddedPostgres | undefined
}

export interface StartChainOptions {
  readonly chain: ChainConfig
  readonly settings: ProcessSettings
  readonly roles: readonly Role[]
  readonly holder: string
  readonly processId: string
  readonly version: string
  readonly httpUrl: string
  /** Where the user's own workers are declared. */
  readonly configFile: string | undefined
  readonly signal: AbortSignal
  /** The start waits for something, for this reason; undefined when it goes on. */
  readonly onWaiting: (reason: string | undefined) => void
}

export interface OpenChain extends Omit<StartChainDeps, "embedded">, StartChainOptions {
  readonly family: ChainFamily
  readonly name: string
  readonly identity: ChainIdentity
  readonly databases: ChainDatabases
  /** Pools for services and queries; the same pool if raw and app are one database. */
  readonly raw: Database
  readonly app: Database
  readonly ledgers: Ledgers
  readonly storedWorkers: StoredRegistry
  /** By RPC URL, shared by the threads of the process. */
  readonly limits: readonly SharedLimitHandle[]
  /** Retries while a dependency is unavailable. */
  readonly patiently: ReturnType<typeof patience>
}

const noDatabase = "waiting for the database"

export async function openChain(deps: StartChainDeps, options: StartChainOptions): Promise<OpenChain> {
  const { chain, settings, signal } = options
  const limits = createNodeLimits(chain)
  const family = familyOf(chain)
  const asking = family.createSource(deps, { chain, chainId: undefined, limits, bytesInFlight: 1 << 20 })
  try {
    const patiently = patience(deps, signal, options.onWaiting)
    const identity = await patiently(() => asking.identity({ signal }), "waiting for the node")
    const name = chain.name ?? (await patiently(() => storedName(chain), noDatabase)) ?? family.chainName(identity)
    const logger = deps.logger.child({ chain: name })
    const databases = await patiently(
      () => prepareDatabases(deps, { chain, name, asking, signal, logger }),
      noDatabase,
    )
    await patiently(
      () => pinDatabases(databases, { name, identity, startBlock: chain.startBlock, logger }),
      noDatabase,
    )
    const pool = (url: string, maxConnections: number): Database =>
      new Database({
        url,
        applicationName: `tidemark ${name} services`,
        maxConnections,
        answerTimeoutMs: settings.dbTimeoutMs,
        ownSessions: !settings.pooledConnections,
      })
    const oneDatabase = databases.appUrl === databases.rawUrl
    const use = { roles: options.roles, derives: chain.workers !== "none", oneDatabase }
    const { rawPoolSize } = planLanes({ ...settings, ...chain, ...use })
    const raw = pool(databases.rawUrl, rawPoolSize)
    const app = oneDatabase ? raw : pool(databases.appUrl, appPoolSize)
    const ledgers = postgresLedgers(deps)
    const rawPartitionBlocks = await patiently(() => settleRaw(raw, { chain, family }), noDatabase)
    return {
      ...{
        ...deps,
        ...options,
        chain: { ...chain, rawPartitionBlocks },
        logger,
        family,
        name,
        identity,
        limits,
        patiently,
      },
      ...{ databases, raw, app, ledgers },
      storedWorkers: new StoredRegistry(),
    }
  } finally {
    await asking.close()
  }
}

async function settleRaw(
  raw: Database,
  { chain, family }: { chain: ChainConfig; family: ChainFamily },
): Promise<number | undefined> {
  const state = await readChainState(raw)
  return settlePartitionSize(raw, {
    ...{ tables: family.rawTables, wanted: chain.rawPartitionBlocks, setting: "RAW_PARTITION_BLOCKS" },
    ...{ startHeight: state?.startHeight ?? 0, deferIndexes: chain.deferIndexes },
  })
}
