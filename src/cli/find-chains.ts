// Finds the databases for a command: as configured, else those of the embedded server that runs in the data directory.
// Never starts anything.

import type { OperatedChain } from "../operations/operated-chain.js"
import { IndexerError } from "../platform/errors.js"
import { type ChainConfig, type Config, loadConfig } from "../platform/load-config.js"
import { Database } from "../postgres/database.js"
import { readEmbeddedAddress, type UrlOf } from "../postgres/embedded/address-file.js"
import { isMissingSchema } from "../postgres/postgres-error.js"
import { readChainName } from "../raw/chain-state.js"
import { familyOf } from "../roles/family-of.js"
import { operateChain } from "../roles/operate-chain.js"
import type { CliIo } from "./cli-io.js"
import { usage } from "./parse-flags.js"

/** Its name is the one in the database, once a chain was pinned there. */
export interface FoundChain extends OperatedChain {
  readonly raw: Database
  readonly app: Database
  /** As configured here. */
  readonly capacityBytes: number | undefined
  readonly checks: ChainConfig["checks"]
}

export interface FindOptions {
  readonly config: string | undefined
  /** Only this one. */
  readonly chain: string | undefined
}

interface Place {
  readonly name: string
  readonly rawUrl: string
  readonly appUrl: string
  readonly capacityBytes?: number | undefined
  readonly checks: ChainConfig["checks"]
}

/** For a command that acts on one chain: the only one there is, or USAGE. */
export function onlyChain(chains: readonly FoundChain[], command: string): FoundChain {
  const [chain, ...others] = chains
  if (chain && others.length === 0) return chain
  const names = chains.map(({ name }) => name).join(", ")
  throw usage(`there are several chains here (${names}): choose one with --chain`, command)
}

/**
 * Opens them, runs the work, closes them. Throws NOT_RUNNING without a database, NOT_FOUND where one has no schema.
 */
export async function withChains<T>(
  io: CliIo,
  options: FindOptions,
  work: (chains: readonly FoundChain[], config: Config) => Promise<T>,
): Promise<T> {
  const config = await loadConfig({ cwd: io.cwd, env: io.env, flags: {}, configFile: options.config, familyOf })
  const open: Database[] = []
  try {
    const chains: FoundChain[] = []
    for (const { rawUrl, appUrl, ...place } of await findPlaces(config)) {
      const raw = openDatabase(rawUrl)
      const app = appUrl === rawUrl ? raw : openDatabase(appUrl)
      open.push(raw, ...(app === raw ? [] : [app]))
      const name = (await readChainName(raw)) ?? place.name
      if (options.chain === undefined || options.chain === name)
        chains.push({
          ...operateChain({ name, raw, app, random: io.random, capacityBytes: place.capacityBytes }),
          checks: place.checks,
        })
    }
    if (chains.length === 0) throw noneFound(config, options)
    return await work(chains, config)
  } catch (error) {
    throw isMissingSchema(error) ? missingSchema(open, error) : error
  } finally {
    await Promise.all(open.map((database) => database.end()))
  }
}

async function findPlaces(config: Config): Promise<readonly Place[]> {
  const places: Place[] = []
  for (const { name, dbRawUrl, dbAppUrl, dbCapacityBytes: capacityBytes, checks } of config.chains) {
    const appUrl = dbAppUrl ?? dbRawUrl
    if (dbRawUrl && appUrl) places.push({ name: name ?? "chain", rawUrl: dbRawUrl, appUrl, capacityBytes, checks })
  }
  if (places.length === config.chains.length) return places
  const urlOf = await readEmbeddedAddress(config.process.dataDir)
  return urlOf ? [...places, ...(await embeddedPlaces(urlOf, config))] : places
}

/** Databases are named after their chain, with underscores for dashes. */
async function embeddedPlaces(urlOf: UrlOf, { chains }: Config): Promise<Place[]> {
  const server = openDatabase(urlOf("postgres"))
  try {
    const { rows } = await server.query<{ datname: string }>(
      "select datname from pg_database where datname ~ '^tidemark_.+_raw$' order by datname",
    )
    return rows.map(({ datname }) => {
      const stem = datname.slice(0, -"_raw".length)
      const name = stem.slice("tidemark_".length).replaceAll("_", "-")
      // A chain without a name in the config is named by its node.
      const configured =
        chains.find((chain) => chain.name === name) ?? chains.find((chain) => chain.name === undefined)
      return {
        name,
        checks: configured?.checks ?? {},
        rawUrl: urlOf(datname),
        appUrl: urlOf(`${stem}_app`),
      }
    })
  } finally {
    await server.end()
  }
}

const openDatabase = (url: string): Database =>
  new Database({ url, applicationName: "tidemark cli", maxConnections: 1 })

const missingSchema = (open: readonly Database[], cause: unknown): IndexerError =>
  new IndexerError(
    "NOT_FOUND",
    `The database ${open.map(({ address }) => address).join(" or ")} has no Tidemark schema yet. ` +
      "`tidemark start` or `tidemark migrate` creates it.",
    { cause },
  )

function noneFound({ process: { dataDir } }: Config, { chain }: FindOptions): IndexerError {
  if (chain !== undefined) {
    return new IndexerError(
      "NOT_FOUND",
      `There is no chain ${JSON.stringify(chain)} here; \`tidemark status\` shows which there are.`,
    )
  }
  return new IndexerError(
    "NOT_RUNNING",
    `Nothing runs in ${dataDir}, and DB_RAW_URL is not set. Start an indexer with \`tidemark start\`, ` +
      "go to the directory where one runs, or set DB_RAW_URL to its database.",
  )
}
