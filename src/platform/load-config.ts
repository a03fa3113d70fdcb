// Reads the settings of the process and of each chain: flags override the environment, the environment the file, and
// the file the defaults. The result is complete and valid.

import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { describeError, IndexerError } from "./errors.js"
import { type HeadersByHost, type ProxySettings, readHeaders, readProxy } from "./rpc-access.js"
import { readSecretFiles } from "./secret-files.js"
import { readSettings, type SettingTable } from "./setting.js"
import { type ChainSettingValues, chainSettings, type ProcessSettings, processSettings } from "./settings.js"

/** What a chain family adds to the settings of a chain. */
export interface FamilySettings {
  readonly settings: SettingTable
  /** Checks of a block that a chain can turn off, since some real chains serve wrong data there. */
  readonly checkNames: readonly string[]
  /** Checks a contract interface that a person gave, and returns what is kept of it. Throws USAGE. */
  parseAbi(value: unknown): readonly object[]
}

export interface ChainConfig extends ChainSettingValues {
  /** Undefined: the chain is named after its id, which the node reports. */
  readonly name: string | undefined
  readonly rpcUrls: readonly string[]
  /** WebSocket URLs that announce heads. */
  readonly wsUrls: readonly string[]
  /** By host: an API key goes to its provider only. */
  readonly rpcHeaders: HeadersByHost
  /** How the nodes are reached; undefined: directly. */
  readonly proxy: ProxySettings | undefined
  /** By name, whether it is on. */
  readonly checks: Readonly<Record<string, boolean>>
  /** Only the family knows their types. */
  readonly familySettings: Readonly<Record<string, unknown>>
  /** Contract interfaces by which answers are decoded. */
  readonly abis: readonly ChainAbi[]
  readonly demo: boolean
}

export interface ChainAbi {
  readonly name: string
  /** Lower case; null: for any contract. */
  readonly address: string | null
  readonly abi: readonly object[]
}

export interface Config {
  readonly process: ProcessSettings
  readonly chains: readonly ChainConfig[]
  /** The config file, if any. */
  readonly file: string | undefined
}

export interface LoadConfigOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly flags: Readonly<Record<string, string | undefined>>
  readonly configFile?: string | undefined
  readonly familyOf: (chain: Pick<ChainConfig, "name">) => FamilySettings
}

const configFileNames = ["tidemark.config.ts", "tidemark.config.js", "tidemark.config.mjs"]
/** Segments of paths where else the name of a chain stands: `/v1/stream`, `/admin/abis`, the page `/console`. */
export const reservedChainNames: readonly string[] = [
  "abis",
  "chains",
  "console",
  "labels",
  "ops",
  "stream",
  "wallets",
]
const abiNamePattern = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,99}$/
const addressPattern = /^0x[0-9a-fA-F]{40}$/
const chainNamePattern = /^[a-z][a-z0-9-]{0,30}$/

export async function loadConfig(options: LoadConfigOptions): Promise<Config> {
  const { cwd, flags, configFile } = options
  const env = readSecretFiles(options.env)
  const file = findFile(cwd, configFile)
  const content = file ? await loadConfigFile(file) : {}
  rejectUnknown(content, [...Object.keys(processSettings), "chains", "workers"], "")
  const process = readSettings(processSettings, { flags, env, file: content, filePrefix: "" })
  const chains = readChains(content, { ...options, env })
  return { process, chains, file }
}

function findFile(cwd: string, named: string | undefined): string | undefined {
  if (named !== undefined) {
    const path = resolve(cwd, named)
    if (existsSync(path)) return path
    throw invalid(`--config names ${named}, which does not exist`)
  }
  return configFileNames.map((name) => resolve(cwd, name)).find((path) => existsSync(path))
}

export async function loadConfigFile(path: string): Promise<Record<string, unknown>> {
  let loaded: unknown
  try {
    // Loaded here because it is slow, and only a config file needs it.
    const { createJiti } = await import("jiti")
    loaded = await createJiti(pathToFileURL(path).href).import(path, { default: true })
  } catch (cause) {
    throw invalid(`${path} could not be loaded`, cause)
  }
  if (!isRecord(loaded)) throw invalid(`${path} must export a config: export default defineConfig({ … })`)
  return loaded
}

type GivenSettings = Pick<LoadConfigOptions, "env" | "flags" | "familyOf">

function readChains(content: Record<string, unknown>, options: GivenSettings): ChainConfig[] {
  const { env, flags, familyOf } = options
  const given = content["chains"] ?? {}
  if (!isRecord(given)) throw invalid("chains must be an object of chains by name")
  const entries = Object.entries(given)
  const rpcText = flags["rpc"] ?? env["RPC_URL"]
  if (entries.length === 0) return [readChain({ ...options, name: undefined, file: {}, rpcText })]
  const tables: SettingTable[] = [chainSettings, ...entries.map(([name]) => familyOf({ name }).settings)]
  const perChain = Object.entries<SettingTable[string]>(Object.assign({}, ...tables)).filter(
    ([key, { env: name }]) => flags[key] !== undefined || env[name],
  )
  const named = ["RPC_URL", "RPC_HEADERS", "CHECKS"].filter((variable) =>
    variable === "RPC_URL" ? rpcText : env[variable],
  )
  const names = [...named, ...perChain.map(([, setting]) => setting.env)]
  if (entries.length > 1 && names.length > 0) {
    const chains = entries.map(([name]) => name).join(", ")
    throw invalid(
      `${names.join(", ")} cannot be set while the config has several chains (${chains}): ` +
        "set it for one of them, in the config file",
    )
  }
  return entries.map(([name, file]) => {
    if (!chainNamePattern.test(name))
      throw invalid(`chains.${name}: a chain's name must be lower case letters, digits and dashes`)
    if (reservedChainNames.includes(name)) {
      const others = reservedChainNames.join(", ")
      throw invalid(`chains.${name}: this name is reserved for routes and pages (${others}): choose another one`)
    }
    if (!isRecord(file)) throw invalid(`chains.${name} must be an object`)
    return readChain({ ...options, name, file, rpcText })
  })
}

interface GivenChain extends GivenSettings {
  readonly name: string | undefined
  readonly file: Record<string, unknown>
  readonly rpcText: string | undefined
}

function readChain({ name, file, env, flags, familyOf, rpcText }: GivenChain): ChainConfig {
  const prefix = name === undefined ? "" : `chains.${name}.`
  const family = familyOf({ name })
  rejectUnknown(
    file,
    [...Object.keys(chainSettings), ...Object.keys(family.settings), "rpc", "rpcHeaders", "checks", "abis"],
    prefix,
  )
  const sources = { flags, env, file, filePrefix: prefix }
  const values = readSettings(chainSettings, sources)
  const rpcName = rpcText ? "RPC_URL" : `${prefix}rpc`
  const urls = rpcList(rpcText || file["rpc"], rpcName)
  const rpcUrls = urls.filter((url) => url.startsWith("http"))
  const wsUrls = urls.filter((url) => url.startsWith("ws"))
  for (const url of urls) assertUrl(url, rpcName)
  const demo = urls.length === 0
  if (!demo && rpcUrls.length === 0)
    throw invalid(`${rpcName} needs at least one http:// or https:// URL; ws URLs only announce heads`)
  if (values.dbAppUrl && !values.dbRawUrl)
    throw invalid("DB_APP_URL is set without DB_RAW_URL: set both, or DB_RAW_URL alone for a single database")
  return {
    ...values,
    name: name ?? (demo ? "demo" : undefined),
    rpcUrls,
    wsUrls,
    rpcHeaders: readHeaders(env["RPC_HEADERS"] || file["rpcHeaders"], {
      name: env["RPC_HEADERS"] ? "RPC_HEADERS" : `${prefix}rpcHeaders`,
      urls,
    }),
    proxy: readProxy(env),
    checks: {
      ...readChecks(file["checks"], family.checkNames, prefix),
      ...parseChecks(env["CHECKS"], family.checkNames),
    },
    familySettings: readSettings(family.settings, sources),
    abis: readAbis(file["abis"], family, `${prefix}abis`),
    demo,
  }
}

function rpcList(value: unknown, name: string): string[] {
  if (value === undefined) return []
  const list = typeof value === "string" ? value.split(",").map((url) => url.trim()) : value
  if (!Array.isArray(list) || !list.every((url) => typeof url === "string"))
    throw invalid(`${name} must be a URL or a list of URLs`)
  return list
}

function assertUrl(url: string, name: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed && ["http:", "https:", "ws:", "wss:"].includes(parsed.protocol)) return
  // The URL itself may contain a key.
  throw invalid(`${name} has an entry that is not an http, https, ws or wss URL (commas separate entries)`)
}

function readChecks(value: unknown, checkNames: readonly string[], prefix: string): ChainConfig["checks"] {
  if (value !== undefined && !isRecord(value))
    throw invalid(`${prefix}checks must be an object such as { ${checkNames[0]}: false }`)
  const given = value ?? {}
  rejectUnknown(given, checkNames, `${prefix}checks.`)
  for (const [name, on] of Object.entries(given))
    if (typeof on !== "boolean") throw invalid(`${prefix}checks.${name} must be true or false`)
  return Object.fromEntries(checkNames.map((name) => [name, given[name] !== false]))
}

function readAbis(value: unknown, family: FamilySettings, where: string): readonly ChainAbi[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw invalid(`${where} must be a list such as [{ name: "Vault", address: "0x…", abi }]`)
  return value.map((given: unknown, at) => {
    const entry = `${where}[${at}]`
    if (!isRecord(given)) throw invalid(`${entry} must be an object with name and abi`)
    rejectUnknown(given, ["name", "address", "abi"], `${entry}.`)
    const { name, address = null, abi } = given
    if (typeof name !== "string" || !abiNamePattern.test(name))
      throw invalid(`${entry}.name must be 1 to 100 letters, digits, blanks, dots, dashes or underscores`)
    if (address !== null && !(typeof address === "string" && addressPattern.test(address)))
      throw invalid(`${entry}.address must be an address; without one it is for any contract`)
    try {
      return { name, address: address?.toLowerCase() ?? null, abi: family.parseAbi(abi) }
    } catch (error) {
      throw invalid(`${entry}.abi: ${describeError(error)}`)
    }
  })
}

/** `bloom:off,gas:on`: overrides the file for the checks that it names. */
function parseChecks(text: string | undefined, checkNames: readonly string[]): ChainConfig["checks"] {
  const entries = (text ?? "").split(",").filter((entry) => entry.trim() !== "")
  return Object.fromEntries(
    entries.map((entry) => {
      const [, name = "", state] = /^\s*(\w+)\s*:\s*(on|off)\s*$/.exec(entry) ?? []
      if (checkNames.includes(name)) return [name, state === "on"]
      const known = checkNames.join(", ")
      throw invalid(
        `CHECKS has the entry ${JSON.stringify(entry)}, but must be a comma list such as ` +
          `${checkNames[0]}:off of the checks ${known}`,
      )
    }),
  )
}

function rejectUnknown(value: Record<string, unknown>, known: readonly string[], prefix: string): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key))
  if (unknown !== undefined) throw invalid(`${prefix}${unknown} is not a setting; known are ${known.join(", ")}`)
}

const invalid = (message: string, cause?: unknown): IndexerError =>
  new IndexerError("CONFIG_INVALID", message, { cause })

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
