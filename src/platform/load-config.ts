// Flags over environment over file over defaults, for the process and for each chain. What comes out is complete and valid.

import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { IndexerError } from "./errors.js"
import { readSettings } from "./setting.js"
import {
  type ChainSettingValues,
  type Checks,
  chainSettings,
  checkNames,
  type ProcessSettings,
  processSettings,
} from "./settings.js"

export interface ChainConfig extends ChainSettingValues {
  /** Undefined: named after the chain's id once the node has said it. */
  readonly name: string | undefined
  readonly rpcUrls: readonly string[]
  /** WebSocket URLs that announce heads. */
  readonly wsUrls: readonly string[]
  readonly checks: Checks
  readonly demo: boolean
}

export interface Config {
  readonly process: ProcessSettings
  readonly chains: readonly ChainConfig[]
  /** The file it came from, if any. */
  readonly file: string | undefined
}

export interface LoadConfigOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly flags: Readonly<Record<string, string | undefined>>
  readonly configFile?: string | undefined
}

const configFileNames = ["tidemark.config.ts", "tidemark.config.js", "tidemark.config.mjs"]
const chainNamePattern = /^[a-z][a-z0-9-]{0,30}$/

export async function loadConfig({ cwd, env, flags, configFile }: LoadConfigOptions): Promise<Config> {
  const file = findFile(cwd, configFile)
  const content = file ? await loadConfigFile(file) : {}
  refuseUnknown(content, [...Object.keys(processSettings), "chains", "workers"], "")
  const process = readSettings(processSettings, { flags, env, file: content, filePrefix: "" })
  const chains = readChains({ content, env, flags })
  return { process, chains, file }
}

function findFile(cwd: string, named: string | undefined): string | undefined {
  if (named !== undefined) {
    const path = resolve(cwd, named)
    if (!existsSync(path))
      throw new IndexerError("CONFIG_INVALID", `--config names ${named}, which does not exist`)
    return path
  }
  return configFileNames.map((name) => resolve(cwd, name)).find((path) => existsSync(path))
}

export async function loadConfigFile(path: string): Promise<Record<string, unknown>> {
  let loaded: unknown
  try {
    // Only a config file needs it, and it is slow to load.
    const { createJiti } = await import("jiti")
    loaded = await createJiti(pathToFileURL(path).href).import(path, { default: true })
  } catch (cause) {
    throw new IndexerError("CONFIG_INVALID", `${path} could not be loaded`, { cause })
  }
  if (!isRecord(loaded))
    throw new IndexerError(
      "CONFIG_INVALID",
      `${path} must export a config: export default defineConfig({ … })`,
    )
  return loaded
}

function readChains({
  content,
  env,
  flags,
}: {
  content: Record<string, unknown>
  env: LoadConfigOptions["env"]
  flags: LoadConfigOptions["flags"]
}): ChainConfig[] {
  const given = content["chains"] ?? {}
  if (!isRecord(given)) throw new IndexerError("CONFIG_INVALID", "chains must be an object of chains by name")
  const entries = Object.entries(given)
  const rpcText = flags["rpc"] ?? env["RPC_URL"]
  if (entries.length === 0) return [readChain({ name: undefined, file: {}, env, flags, rpcText })]
  const perChain = Object.entries(chainSettings).filter(
    ([key, { env: name }]) => flags[key] !== undefined || env[name],
  )
  if (entries.length > 1 && (rpcText || perChain.length > 0)) {
    const names = [...(rpcText ? ["RPC_URL"] : []), ...perChain.map(([, setting]) => setting.env)]
    throw new IndexerError(
      "CONFIG_INVALID",
      `${names.join(", ")} cannot be set while the config has several chains (${entries.map(([name]) => name).join(", ")}): set it for the chain it is meant for, in the config file`,
    )
  }
  return entries.map(([name, file]) => {
    if (!chainNamePattern.test(name)) {
      throw new IndexerError(
        "CONFIG_INVALID",
        `chains.${name}: a chain's name must be lower case letters, digits and dashes`,
      )
    }
    if (!isRecord(file)) throw new IndexerError("CONFIG_INVALID", `chains.${name} must be an object`)
    return readChain({ name, file, env, flags, rpcText })
  })
}

function readChain({
  name,
  file,
  env,
  flags,
  rpcText,
}: {
  name: string | undefined
  file: Record<string, unknown>
  env: LoadConfigOptions["env"]
  flags: LoadConfigOptions["flags"]
  rpcText: string | undefined
}): ChainConfig {
  const prefix = name === undefined ? "" : `chains.${name}.`
  refuseUnknown(file, [...Object.keys(chainSettings), "rpc", "checks"], prefix)
  const values = readSettings(chainSettings, { flags, env, file, filePrefix: prefix })
  const urls = rpcText ? rpcText.split(",").map((url) => url.trim()) : rpcList(file["rpc"], prefix)
  const rpcUrls = urls.filter((url) => url.startsWith("http"))
  const wsUrls = urls.filter((url) => url.startsWith("ws"))
  for (const url of urls) assertUrl(url, rpcText ? "RPC_URL" : `${prefix}rpc`)
  const demo = urls.length === 0
  if (!demo && rpcUrls.length === 0) {
    throw new IndexerError(
      "CONFIG_INVALID",
      `${rpcText ? "RPC_URL" : `${prefix}rpc`} needs at least one http:// or https:// URL; ws URLs only announce heads`,
    )
  }
  if (values.dbAppUrl && !values.dbRawUrl) {
    throw new IndexerError(
      "CONFIG_INVALID",
      "DB_APP_URL is set without DB_RAW_URL: set both, or DB_RAW_URL alone to keep all in one database",
    )
  }
  return {
    ...values,
    name: name ?? (demo ? "demo" : undefined),
    rpcUrls,
    wsUrls,
    checks: readChecks(file["checks"], prefix),
    demo,
  }
}

function rpcList(value: unknown, prefix: string): string[] {
  if (value === undefined) return []
  const list = typeof value === "string" ? value.split(",").map((url) => url.trim()) : value
  if (!Array.isArray(list) || !list.every((url) => typeof url === "string")) {
    throw new IndexerError("CONFIG_INVALID", `${prefix}rpc must be a URL or a list of URLs`)
  }
  return list
}

function assertUrl(url: string, name: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed && ["http:", "https:", "ws:", "wss:"].includes(parsed.protocol)) return
  // The URL itself may hold a key.
  throw new IndexerError(
    "CONFIG_INVALID",
    `${name} has an entry that is not an http, https, ws or wss URL (entries are separated by commas)`,
  )
}

function readChecks(value: unknown, prefix: string): Checks {
  if (value !== undefined && !isRecord(value)) {
    throw new IndexerError("CONFIG_INVALID", `${prefix}checks must be an object such as { bloom: false }`)
  }
  const given = value ?? {}
  refuseUnknown(given, checkNames, `${prefix}checks.`)
  for (const [name, on] of Object.entries(given)) {
    if (typeof on !== "boolean")
      throw new IndexerError("CONFIG_INVALID", `${prefix}checks.${name} must be true or false`)
  }
  return Object.fromEntries(checkNames.map((name) => [name, given[name] !== false])) as Record<
    (typeof checkNames)[number],
    boolean
  >
}

function refuseUnknown(value: Record<string, unknown>, known: readonly string[], prefix: string): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue
    throw new IndexerError(
      "CONFIG_INVALID",
      `${prefix}${key} is not a setting; known are ${known.join(", ")}`,
    )
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
