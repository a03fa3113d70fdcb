// A chain in a process whose only role is `serve`: it reads the chain's databases, and needs neither its node nor the
// right to write. All it may write is its share of the nodes' limit, where clients' calls are passed to them. The name comes from the store, which another process has pinned to its chain.

import { postgresLedgers } from "../coordination/postgres/postgres-ledgers.js"
import { IndexerError } from "../platform/errors.js"
import { assertMigrated } from "../postgres/assert-migrated.js"
import { Database } from "../postgres/database.js"
import { readChainName } from "../raw/chain-state.js"
import { exportStatus } from "../status/export-status.js"
import { readChainStatus } from "../status/read-chain-status.js"
import { StallDoctor } from "../status/stall-doctor.js"
import { storeSizeReader } from "../status/store-size.js"
import { isReadOnly, openChainDatabases, readOnlyUrls, readUrls } from "./chain-databases.js"
import { appPoolSize, rawPoolSize } from "./connection-budget.js"
import { familyOf } from "./family-of.js"
import { limitServedNodes } from "./node-limits.js"
import type { StartChainDeps, StartChainOptions } from "./open-chain.js"
import { patience } from "./patience.js"
import type { RunningChain } from "./start-chain.js"

export async function startServedChain(deps: StartChainDeps, options: StartChainOptions): Promise<RunningChain> {
  const { chain, settings, signal } = options
  const { clock, metrics } = deps
  const family = familyOf(chain)
  const known = chain.name ?? "unnamed"
  const databases = isReadOnly(chain)
    ? readOnlyUrls(chain)
    : await openChainDatabases(deps.embedded, { chain, name: known })
  const readFrom = readUrls(chain, databases)
  const pool = (url: string, maxConnections: number): Database =>
    new Database({
      ...{ url, maxConnections, applicationName: `tidemark ${known} status` },
      readOnly: !settings.pooledConnections,
    })
  const raw = pool(readFrom.rawUrl, rawPoolSize)
  const app = readFrom.appUrl === readFrom.rawUrl ? raw : pool(readFrom.appUrl, appPoolSize)
  const stop = async (): Promise<void> => {
    await raw.end()
    await app.end()
  }
  try {
    const name = await patience(deps, signal, options.onWaiting)(() => storedName(raw, app), "waiting for the store")
    const logger = deps.logger.child({ chain: name })
    const ledgers = postgresLedgers(deps)
    const storeSize = storeSizeReader({ raw, app }, { clock })
    const status = () => readChainStatus({ raw, ledgers }, { name, family, app, storeSize })
    const doctor = new StallDoctor({
      ...{ chain: name, read: status, clock, logger, stallAfterMs: settings.stallAfterMs },
      onDiagnosis: (diagnosis, seen) => exportStatus(metrics, { chain: name, diagnosis, status: seen }),
    })
    doctor.start()
    const nodes = limitServedNodes(
      { ...deps, logger },
      {
        chain,
        settings,
        name,
        processId: options.processId,
        rawUrl: isReadOnly(chain) ? undefined : databases.rawUrl,
      },
    )
    return {
      ...{ name, database: raw, app, databases, limits: nodes.limits, derived: [], status },
      diagnosis: () => doctor.diagnosis(),
      lastStatus: () => doctor.lastStatus(),
      pause: () => undefined,
      stop: async () => {
        await doctor.stop()
        await nodes.stop()
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function storedName(raw: Database, app: Database): Promise<string> {
  const name = await readChainName(raw)
  if (name === undefined)
    throw new IndexerError("NOT_COVERED", "the store has no chain yet: start a process with the role ingest")
  await assertMigrated(raw, "raw")
  await assertMigrated(app, "app")
  return name
}
