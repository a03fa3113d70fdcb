// Where a chain's two databases are: the user's own servers, or a pair on the embedded one, named after the chain.

import type { ChainConfig } from "../platform/load-config.js"
import { Connection } from "../postgres/connection.js"
import type { EmbeddedPostgres } from "../postgres/embedded/start-embedded.js"
import { migrate } from "../postgres/migrate.js"
import { quoteIdentifier } from "../postgres/quote-identifier.js"

export interface ChainDatabases {
  readonly rawUrl: string
  readonly appUrl: string
}

const databaseName = (chainName: string, store: "raw" | "app"): string =>
  `tidemark_${chainName.replaceAll("-", "_")}_${store}`

export async function openChainDatabases(
  embedded: EmbeddedPostgres | undefined,
  { chain, name }: { chain: ChainConfig; name: string },
): Promise<ChainDatabases> {
  if (chain.dbRawUrl) return { rawUrl: chain.dbRawUrl, appUrl: chain.dbAppUrl ?? chain.dbRawUrl }
  const [raw, app] = [databaseName(name, "raw"), databaseName(name, "app")]
  await embedded!.ensureDatabase(raw)
  await embedded!.ensureDatabase(app)
  return { rawUrl: embedded!.url(raw), appUrl: embedded!.url(app) }
}

/** Where the API reads. */
export function readUrls(
  { dbRawReadUrl, dbAppReadUrl }: Pick<ChainConfig, "dbRawReadUrl" | "dbAppReadUrl">,
  { rawUrl, appUrl }: ChainDatabases,
): ChainDatabases {
  const read = dbRawReadUrl ?? rawUrl
  return { rawUrl: read, appUrl: dbAppReadUrl ?? (appUrl === rawUrl ? read : appUrl) }
}

type ReadSettings = Pick<ChainConfig, "dbRawUrl" | "dbRawReadUrl" | "dbAppReadUrl">

/** Only a process with no other role than `serve` can do with databases that it may only read. */
export const isReadOnly = ({ dbRawUrl, dbRawReadUrl }: ReadSettings): boolean =>
  dbRawUrl === undefined && dbRawReadUrl !== undefined

export const readOnlyUrls = ({ dbRawReadUrl, dbAppReadUrl }: ReadSettings): ChainDatabases => ({
  rawUrl: dbRawReadUrl!,
  appUrl: dbAppReadUrl ?? dbRawReadUrl!,
})

export async function migrateChainDatabases({ rawUrl, appUrl }: ChainDatabases): Promise<readonly string[]> {
  const raw = await migrate({ database: rawUrl, schema: "raw" })
  const app = await migrate({ database: appUrl, schema: "app" })
  return [...raw.map((name) => `raw/${name}`), ...app.map((name) => `app/${name}`)]
}

/** Only for the demo, whose chain can be lost. A real chain's databases are never dropped. */
export async function dropEmbeddedDatabases(embedded: EmbeddedPostgres, name: string): Promise<void> {
  const admin = await Connection.open({ url: embedded.url("postgres"), applicationName: "tidemark demo" })
  try {
    for (const store of ["raw", "app"] as const) {
      await admin.query(`drop database if exists ${quoteIdentifier(databaseName(name, store))} with (force)`)
    }
  } finally {
    await admin.end()
  }
}
